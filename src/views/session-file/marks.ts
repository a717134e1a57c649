import { createHash } from "node:crypto"

/** One line of a session's log: the id of its entry, and its text. */
export interface Line {
  id: string
  text: string
}

export interface Marks {
  /** The entries that the file has a line for. */
  ids: ReadonlySet<string>
  /** False if the file was changed after its last mark was written. */
  isUntouched: boolean
}

/**
 * Reads the marks of a file. Every line ends in one, `<!-- <entry id> <hash> -->`; the hash covers the whole file up to
 * there. So the file itself shows which entries it has and, by its last mark alone, whether anything was changed.
 */
export function readMarks(file: Buffer): Marks {
  // One character per byte: an edited file need not be valid text, and an index must count bytes.
  const marks = [...file.toString("latin1").matchAll(MARK)]
  const last = marks.at(-1)
  return {
    ids: new Set(marks.map(([, id = ""]) => id)),
    isUntouched: last !== undefined && isUntouchedSince(file, last),
  }
}

/** The text that appends these lines, with their marks, to a file with these bytes. */
export function markedLines(file: Buffer, lines: readonly Line[]): string {
  const isOpen = file.length > 0 && file.at(-1) !== NEWLINE
  const hash = createHash("sha256").update(file)
  const added: string[] = []
  const add = (text: string) => {
    hash.update(text)
    added.push(text)
  }
  if (isOpen && lines.length > 0) add("\n")
  for (const { id, text } of lines) {
    add(`- ${text} <!-- ${id} `)
    add(`${short(hash.copy().digest("hex"))}${MARK_END}`)
  }
  return added.join("")
}

/** Text that cannot be read as a mark, nor end one early. */
export function withoutMarks(text: string): string {
  return text.replaceAll("<!--", "<! --").replaceAll("-->", "-- >")
}

/** Splits a line of a file: the entry id of its mark, if it has one, and the words before it. */
export function readLine(line: string): { id: string | undefined; words: string } {
  const [mark] = line.matchAll(MARK)
  return { id: mark?.[1], words: line.replaceAll(MARK, "") }
}

function isUntouchedSince(file: Buffer, { 0: mark, 2: hash = "", index }: RegExpMatchArray): boolean {
  const end = (index ?? 0) + mark.length
  const upToHash = file.subarray(0, end - hash.length - " -->".length)
  const isChained = hash === short(createHash("sha256").update(upToHash).digest("hex"))
  return isChained && file.subarray(end - " -->".length).toString("latin1") === MARK_END
}

function short(hash: string): string {
  return hash.slice(0, 8)
}

const MARK = /<!-- ([0-9a-f-]{36}) ([0-9a-f]{8}) -->/gi
const MARK_END = " -->\n"
const NEWLINE = 0x0a
