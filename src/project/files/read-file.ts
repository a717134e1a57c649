import { lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { systemCode } from "../../shared/system-error.ts"

/** A file's text, or why it has none for us. */
export type FileText = { text: string } | { why: string }

/** Reads a listed file that is no larger than `maxBytes`. A link is not followed. */
export function readProjectFile(dir: string, path: string, maxBytes: number): FileText {
  const place = join(dir, path)
  try {
    const stat = lstatSync(place)
    if (stat.isSymbolicLink()) return { why: "a link, not followed" }
    if (!stat.isFile()) return { why: "no plain file" }
    if (stat.size > maxBytes) return { why: `larger than ${Math.round(maxBytes / 1024)} KB` }
    const bytes = readFileSync(place)
    if (bytes.subarray(0, LOOKED_AT_BYTES).includes(0)) return { why: "not text" }
    return { text: bytes.toString("utf8") }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return { why: systemCode(error) === "ENOENT" ? "gone" : "may not be read" }
  }
}

const LOOKED_AT_BYTES = 8192
