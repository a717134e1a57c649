import type { ParseError } from "jsonc-parser"

/** Describes the first error in a JSON text, with its line and column. */
export function jsonFault(text: string, errors: readonly ParseError[]): string | undefined {
  const [first] = errors
  if (first === undefined) return undefined
  const conflict = mergeMarkerLine(text)
  if (conflict !== undefined) return `line ${conflict}: ${MERGE_MARKERS}`
  return `line ${placeIn(text, first.offset)}: ${WORDS[first.error] ?? "it is not valid JSON"}`
}

/** The line number of the first merge conflict marker in a text. */
export function mergeMarkerLine(text: string): number | undefined {
  const start = /^<{7}(?: |\r?$)/m.exec(text)?.index
  if (start === undefined || !/^>{7}(?: |\r?$)/m.test(text.slice(start))) return undefined
  return text.slice(0, start).split("\n").length
}

function placeIn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n")
  return `${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

const MERGE_MARKERS =
  "git's merge markers (<<<<<<<, >>>>>>>) are still in it; keep one side and remove the markers"

// The keys are error numbers of jsonc-parser. Using its enum would load the parser.
const WORDS: Record<number, string> = {
  1: "this is not JSON: names and texts must be in double quotes",
  2: "this is not a number",
  3: "the name of an option, in double quotes, is missing",
  4: "a value is missing",
  5: "a colon is missing before this",
  6: "a comma is missing before this",
  7: "a closing brace } is missing before this",
  8: "a closing bracket ] is missing before this",
  9: "there is text after the end",
  10: "comments are not allowed here",
  11: "a comment has no end",
  12: "a text has no closing quote",
  13: "a number has no end",
  14: "the code after \\u is not four hexadecimal digits",
  15: "there is no such escape after the backslash",
  16: "this character is not allowed here",
}
