import { createHash } from "node:crypto"
import type { Pausing } from "../../shared/slices.ts"
import type { ProjectFile } from "../files/list-files.ts"
import { isBinary, readProjectBytes } from "../files/read-file.ts"
import { isDocument } from "./document/classify.ts"
import { type ParsedDocument, parseDocument } from "./document/parse-document.ts"
import { languageOf } from "./layout/language.ts"

/** What a scan keeps of a file, so that the next one reads only what has changed. */
export interface KnownFile {
  signature: string
  /** Of its content; null where it was not read. */
  hash: string | null
  /** Of a file in a programming language. */
  lines: number | null
  document?: ParsedDocument
}

/** Reads a file as far as the scan has a use for it: code is counted, documents are read, other files are only hashed. */
export function* lookAtFile(
  dir: string,
  { path, bytes: size, signature }: ProjectFile,
  note: (note: string) => void,
): Pausing<KnownFile> {
  const unread: KnownFile = { signature, hash: null, lines: null }
  const isCode = languageOf(path) !== undefined
  const isText = isDocument(path)
  // What is neither is known by its size and time; most of that is pictures and data.
  if (size > MAX_BYTES) {
    if (isCode || isText) note(`${path}: larger than ${MAX_BYTES / 1024} KB, not read`)
    return unread
  }
  const read = readProjectBytes(dir, path, MAX_BYTES)
  if ("why" in read) {
    note(`${path}: ${read.why}`)
    return unread
  }
  const hash = createHash("sha1").update(read.bytes).digest("hex").slice(0, HASH_CHARS)
  if (isBinary(read.bytes)) {
    if (isCode || isText) note(`${path}: not text, as its name says`)
    return { signature, hash, lines: null }
  }
  const lines = isCode ? countLines(read.bytes) : null
  if (!isText) return { signature, hash, lines }
  yield
  return { signature, hash, lines, document: yield* parseDocument(path, read.bytes.toString("utf8")) }
}

function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? count + 1 : count
}

const NEWLINE = 10
const HASH_CHARS = 16
const MAX_BYTES = 1 << 20
