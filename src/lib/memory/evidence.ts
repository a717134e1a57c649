import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { isAbsolute, relative, resolve } from "node:path"
import type { EvidenceCheck } from "../pack/relevance.ts"

/**
 * Compares `path@hash` with the file as it is now. A file is hashed again only when its size or time has changed, so
 * asking on every turn costs a stat each.
 */
export function evidenceCheck(projectDir: string): EvidenceCheck {
  const hashes = new Map<string, { signature: string; hash: string }>()
  return (evidence) => {
    const at = evidence.lastIndexOf("@")
    const wanted = evidence.slice(at + 1).toLowerCase()
    if (at <= 0 || !/^[0-9a-f]{7,64}$/.test(wanted)) return undefined
    const path = resolve(projectDir, evidence.slice(0, at))
    const inside = relative(projectDir, path)
    if (inside.startsWith("..") || isAbsolute(inside)) return undefined
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return false
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined
    const signature = `${stat.size}:${stat.mtimeMs}`
    const known = hashes.get(path)
    const hash = known?.signature === signature ? known.hash : sha256(path)
    hashes.set(path, { signature, hash })
    return hash.startsWith(wanted)
  }
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex")
}

const MAX_BYTES = 2_000_000
