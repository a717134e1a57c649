import { lstatSync, readFileSync } from "node:fs"
import { systemCode } from "../../shared/system-error.ts"

/** A file's text, or why it has none for us. */
export type FileText = { text: string } | { why: string }

/** Reads a listed file that is no larger than `maxBytes`. A link is not followed. */
export function readProjectFile(dir: string, path: string, maxBytes: number): FileText {
  const read = readChecked(`${dir}/${path}`, maxBytes, readText)
  if ("why" in read) return read
  const { content: text } = read
  return isTextBinary(text) ? { why: "not text" } : { text }
}

/** The same, whatever is in it. */
export function readProjectBytes(
  dir: string,
  path: string,
  maxBytes: number,
): { bytes: Buffer } | { why: string } {
  const read = readChecked(`${dir}/${path}`, maxBytes, readBytes)
  return "why" in read ? read : { bytes: read.content }
}

function readChecked<T>(
  place: string,
  maxBytes: number,
  read: (place: string) => T,
): { content: T } | { why: string } {
  try {
    // Many are asked for that may not be there (a configuration that another extends): an error for each takes long.
    const stat = lstatSync(place, { throwIfNoEntry: false })
    if (stat === undefined) return { why: "gone" }
    if (stat.isSymbolicLink()) return { why: "a link, not followed" }
    if (!stat.isFile()) return { why: "no plain file" }
    if (stat.size > maxBytes) return { why: `larger than ${Math.round(maxBytes / 1024)} KB` }
    return { content: read(place) }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return { why: systemCode(error) === "ENOENT" ? "gone" : "may not be read" }
  }
}

// In one call, without a buffer between.
const readText = (place: string): string => readFileSync(place, "utf8")
const readBytes = (place: string): Buffer => readFileSync(place)

export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, LOOKED_AT_BYTES).includes(0)
}

function isTextBinary(text: string): boolean {
  const zero = text.indexOf("\0")
  return zero >= 0 && zero < LOOKED_AT_BYTES
}

const LOOKED_AT_BYTES = 8192
