import { createHash } from "node:crypto"

/** One line of a session's log: the entry it tells of, and its words. */
export interface Line {
  id: string
  text: string
}

export interface Marks {
  /** The entries that the file has a line for. */
  ids: ReadonlySet<string>
  /** False where the file is not as it was left after a line of ours. */
  isUntouched: boolean
}

/**
 * Every line ends in a mark: its entry's id, and a hash over the whole file up to there. So the file itself tells which
 * entries it has, and, by its last mark alone, whether anything before was changed from outside.
 */
export function readMarks(file: Buffer): Marks {
  // One character per byte: what people do to the file need not be valid text, and places must be those of the bytes.
  const marks = [...file.toString("latin1").matchAll(MARK)]
  const last = marks.at(-1)
  return {
    ids: new Set(marks.map(([, id = ""]) => id)),
    isUntouched: last !== undefined && isLastWord(file, last),
  }
}

/** What adds these lines to a file as it is now. */
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

/** Text that cannot be taken for a mark, nor end one early. */
export function withoutMarks(text: string): string {
  return text.replaceAll("<!--", "<! --").replaceAll("-->", "-- >")
}

/** A line of a file: the entry it is marked with, if it is, and its words. */
export function readLine(line: string): { id: string | undefined; words: string } {
  const [mark] = line.matchAll(MARK)
  return { id: mark?.[1], words: line.replaceAll(MARK, "") }
}

function isLastWord(file: Buffer, { 0: mark, 2: hash = "", index }: RegExpMatchArray): boolean {
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
