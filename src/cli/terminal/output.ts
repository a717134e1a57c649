import { randomBytes } from "node:crypto"
import { oneLine, withoutHidden } from "../../shared/text/clean.ts"
import type { CliIo, TextStream } from "./io.ts"

/**
 * Cleans all output of commands: record texts may contain control characters that the terminal would obey. Line breaks, tabs
 * and our own colour codes stay. Invisible characters and those that change the direction of writing are removed, too.
 */
export function guardOutput(io: CliIo): CliIo {
  return { ...io, stdout: guarded(io.stdout), stderr: guarded(io.stderr) }
}

function guarded(stream: TextStream): TextStream {
  return { isTTY: stream.isTTY, write: (text) => stream.write(withOwnSequences(text)) }
}

/** Marks a control sequence as our own. Text cannot forge the mark, because it is random in every process. */
export function ownSequence(sequence: string): string {
  return `${MARK}${sequence}${MARK}`
}

function withOwnSequences(text: string): string {
  const isOwn = (index: number) => index % 2 === 1
  return text
    .split(MARK)
    .map((part, index) => (isOwn(index) ? part : withoutHidden(part)))
    .join("")
}

/** Puts every text in the value on one line, because a line break in a file name could fake a line of our output. */
export function cleanValues<T>(value: T): T {
  if (typeof value === "string") return oneLine(value) as T
  if (Array.isArray(value)) return value.map(cleanValues) as T
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleanValues(each)])) as T
}

/** JSON without control characters, except the line breaks of its layout: all others are escaped. */
export function jsonText(document: unknown): string {
  return JSON.stringify(document, null, 2).replaceAll(UNESCAPED, (character) =>
    character.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  )
}

const MARK = randomBytes(12).toString("hex")
// `JSON.stringify` escapes only control characters below U+0020.
const UNESCAPED =
  /(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffc\ufffe\uffff]/gu
export const ERASE_LINE = ownSequence("\r\u001b[K")
