import { createHash } from "node:crypto"
import { readFileSync, type Stats, statSync } from "node:fs"
import { relative, resolve } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import { leadsOut } from "../project-path.ts"
import { isMarkdown, type Section, sectionsOf } from "./sections.ts"

/** What is in a file of the project. */
export interface FileState {
  /** SHA-256 of its bytes. */
  hash: string
  /** Of a Markdown file. */
  sections: Section[]
}

/**
 * A file as it is now: null where there is none, undefined where that is unknown (a folder, too large, not readable).
 */
export type FileLook = (path: string) => FileState | null | undefined

/**
 * Reads files of a project. A file is read again only when its size or times have changed, so asking on every turn
 * costs one stat each.
 */
export function fileLook(projectDir: string): FileLook {
  const known = new Map<string, { signature: string; state: FileState }>()
  return (path) => {
    const full = resolve(projectDir, path)
    if (leadsOut(relative(projectDir, full))) return undefined
    try {
      const stat = statSync(full, { throwIfNoEntry: false })
      if (stat === undefined) return null
      if (!stat.isFile() || stat.size > MAX_BYTES) return undefined
      const signature = signatureOf(stat)
      const there = known.get(full)
      if (there?.signature === signature) return there.state
      const state = readState(full)
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(full, { signature, state })
      return state
    } catch (error) {
      // Deleted since the stat, or its folder was replaced by a file.
      return systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR" ? null : undefined
    }
  }
}

function readState(path: string): FileState {
  const bytes = readFileSync(path)
  const hash = createHash("sha256").update(bytes).digest("hex")
  return { hash, sections: isMarkdown(path) ? sectionsOf(bytes.toString("utf8")) : [] }
}

function signatureOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ctimeMs}:${ino}`
}

export const MAX_BYTES = 2_000_000
const MAX_KNOWN = 10_000
