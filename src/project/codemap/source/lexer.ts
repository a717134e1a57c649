import type { Language } from "./languages.ts"

/** A comment as it stands in a file. */
export interface RawComment {
  start: number
  end: number
  /** Without what begins and ends it. */
  text: string
  isDoc: boolean
}

/**
 * The comments of a text, in order. It knows strings, so that a mark within one begins no comment, and nothing else of
 * the language: what it cannot tell (a regular expression of JavaScript) it takes for code up to the end of the line.
 */
export function findComments(text: string, language: Language): RawComment[] {
  const comments: RawComment[] = []
  const interesting = startsOf(language)
  let at = 0
  while (at < text.length) {
    interesting.lastIndex = at
    const found = interesting.exec(text)
    if (found === null) break
    at = found.index
    const mark = found[0]
    const string = language.strings.find(({ begin }) => begin === mark)
    if (string !== undefined) {
      const end = endOfString(text, at, string)
      if (language.docStrings && mark.length === 3 && isDocString(text, at)) {
        comments.push({ start: at, end, text: text.slice(at + 3, end - 3), isDoc: true })
      }
      at = end
    } else if (mark === "'") at = endOfQuote(text, at)
    else if (mark.startsWith("<<")) at = endOfHereText(text, at, found[1] ?? found[2] ?? "")
    else if (
      language.needsBlank &&
      at > 0 &&
      !/\s/.test(text[at - 1] ?? "") &&
      language.line.includes(mark)
    ) {
      at += mark.length
    } else {
      const comment = commentAt(text, at, mark, language)
      comments.push(comment)
      at = comment.end
    }
  }
  return comments
}

function commentAt(text: string, start: number, mark: string, language: Language): RawComment {
  const isDoc = (language.doc ?? []).some(
    (doc) => text.startsWith(doc, start) && !text.startsWith("/**/", start),
  )
  const block = language.block.find(([begin]) => begin === mark)
  if (block === undefined) {
    const end = endOfLine(text, start)
    return { start, end, text: text.slice(start + mark.length, end), isDoc }
  }
  const end = endOfBlock(text, start, block, language.nests ?? false)
  return { start, end, text: text.slice(start + mark.length, end - block[1].length), isDoc }
}

function endOfBlock(
  text: string,
  start: number,
  [begin, close]: readonly [string, string],
  nests: boolean,
): number {
  let depth = 1
  let at = start + begin.length
  while (depth > 0) {
    const end = text.indexOf(close, at)
    if (end < 0) return text.length
    const inner = nests ? text.indexOf(begin, at) : -1
    if (inner >= 0 && inner < end) {
      depth++
      at = inner + begin.length
    } else {
      depth--
      at = end + close.length
    }
  }
  return at
}

function endOfString(text: string, start: number, string: Language["strings"][number]): number {
  let at = start + string.begin.length
  while (at < text.length) {
    if (text.startsWith(string.end, at)) return at + string.end.length
    if (text[at] === "\n" && !string.spans) return at
    at += text[at] === "\\" && !string.raw ? 2 : 1
  }
  return text.length
}

/** Rust: a character, or else the name of a lifetime, which nothing ends. */
function endOfQuote(text: string, start: number): number {
  const character = /'(?:\\.[^'\n]{0,10}|[^\\'\n]{1,2})'/y
  character.lastIndex = start
  return character.test(text) ? character.lastIndex : start + 1
}

/** Shell: what stands between here and the line with that word alone is text. */
function endOfHereText(text: string, start: number, word: string): number {
  const end = new RegExp(String.raw`^\t*${word}$`, "m")
  const from = endOfLine(text, start)
  const found = end.exec(text.slice(from, from + MAX_HERE))
  return found === null ? from : from + found.index + found[0].length
}

/** It stands first in a file, or right after a line that ends with a colon. */
function isDocString(text: string, at: number): boolean {
  return /(?:^|:|["']{3})\s*$/.test(
    text.slice(Math.max(0, at - LOOK_BACK), at).replace(/(^|\n)\s*#[^\n]*/g, "$1"),
  )
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

function startsOf({ name, line, block, strings }: Language): RegExp {
  const marks = [...strings.map(({ begin }) => begin), ...line, ...block.map(([begin]) => begin)]
  if (name === "Rust") marks.push("'")
  const longestFirst = marks.sort((a, b) => b.length - a.length).map(escaped)
  if (name === "shell") longestFirst.unshift(String.raw`<<-?\s*(?:["']?(\w+)["']?)`)
  return new RegExp(longestFirst.join("|"), "g")
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}

const MAX_HERE = 50_000
const LOOK_BACK = 300
