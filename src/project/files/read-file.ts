import { lstatSync, readFileSync } from "node:fs"
import { systemCode } from "../../shared/system-error.ts"

type FileText = { text: string } | { why: string }
type FileBytes = { bytes: Buffer } | { why: string }

/** Reads a listed file that is no larger than `maxBytes`. A link is not followed. */
export function readProjectFile(dir: string, path: string, maxBytes: number): FileText {
  const read = readProjectBytes(dir, path, maxBytes)
  if ("why" in read) return read
  return isBinary(read.bytes) ? { why: "not text" } : { text: read.bytes.toString("utf8") }
}

/** Like readProjectFile, but for a file with any content. */
export function readProjectBytes(dir: string, path: string, maxBytes: number): FileBytes {
  const place = `${dir}/${path}`
  try {
    // `throwIfNoEntry` is off because throwing is slow, and many of the requested files do not exist.
    const stat = lstatSync(place, { throwIfNoEntry: false })
    if (stat === undefined) return { why: "gone" }
    if (stat.isSymbolicLink()) return { why: "a symbolic link, not followed" }
    if (!stat.isFile()) return { why: "not a regular file" }
    if (stat.size > maxBytes) return { why: `larger than ${Math.round(maxBytes / 1024)} KB` }
    return { bytes: readFileSync(place) }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return { why: systemCode(error) === "ENOENT" ? "gone" : "cannot be read" }
  }
}

export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, LOOKED_AT_BYTES).includes(0)
}

const LOOKED_AT_BYTES = 8192
