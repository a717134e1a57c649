import type { RawComment } from "./lexer.ts"

/**
 * The comments of a YAML text. A quote opens a text only where a value begins (`it: it's` has none), `#` needs a blank
 * before it, and what stands deeper than the key of a `|` or `>` is text.
 */
export function yamlComments(text: string): RawComment[] {
  const comments: RawComment[] = []
  // Brackets that are open, the column that whatever is deeper than belongs to the value at hand, and whether one may begin here.
  let [depth, owner, mayBegin, isPlain] = [0, NONE, true, false]
  for (let at = 0; at < text.length; ) {
    const lineStart = at
    const lineEnd = endOfLine(text, at)
    at = afterBlanks(text, at)
    const goesOn = depth > 0 || (isPlain && at - lineStart > owner)
    if (at < lineEnd && !goesOn) [owner, mayBegin, isPlain] = [NONE, true, false]
    let end = lineEnd
    for (; at < end; at = afterBlanks(text, at)) {
      const char = text[at] ?? ""
      if (char === "#" && (at === lineStart || isBlank(text[at - 1]))) {
        comments.push({ start: at, end, text: text.slice(at + 1, end), isDoc: false })
        // Nothing of a value goes on after a comment.
        isPlain = false
        at = end
      } else if (mayBegin && (char === '"' || char === "'")) {
        at = afterQuotes(text, at, char)
        end = endOfLine(text, at)
        mayBegin = false
      } else if (mayBegin && depth === 0 && matches(BLOCK, text, at)) {
        const next = afterBlock(text, end + 1, owner, /^.[+-]?\d/.test(text.slice(at, at + 3)))
        const mark = text.slice(at, end).indexOf("#")
        if (mark >= 0)
          comments.push({ start: at + mark, end, text: text.slice(at + mark + 1, end), isDoc: false })
        at = end = next - 1
      } else if (mayBegin && depth === 0 && matches(ITEM, text, at)) {
        owner = char === "-" && text.startsWith("---", at) ? NONE : at - lineStart
        at += text.startsWith("---", at) ? 3 : 1
      } else if (mayBegin && matches(TAG, text, at)) at = TAG.lastIndex
      else if (char === "[" || char === "{") {
        if (mayBegin || depth > 0) depth++
        at++
      } else if (char === "]" || char === "}") {
        depth = Math.max(0, depth - 1)
        mayBegin = false
        at++
      } else if (char === "," || char === ":") {
        const isMark = depth > 0 || (char === ":" && (at + 1 >= end || isBlank(text[at + 1])))
        if (isMark) mayBegin = true
        if (isMark && depth === 0) {
          owner = keyColumn(text, lineStart)
          isPlain = false
        }
        at++
      } else {
        mayBegin = false
        isPlain = depth === 0
        PLAIN.lastIndex = at
        PLAIN.test(text)
        at = Math.max(at + 1, Math.min(PLAIN.lastIndex, end))
      }
    }
    at = end + 1
  }
  return comments
}

/** `- - key: value`: where the key begins. */
function keyColumn(text: string, lineStart: number): number {
  KEY.lastIndex = lineStart
  KEY.test(text)
  return KEY.lastIndex - lineStart
}

/** The first line that is neither empty nor as deep as the first one of the text, which is deeper than its owner. */
function afterBlock(text: string, from: number, owner: number, isIndentGiven: boolean): number {
  let at = from
  let least = isIndentGiven ? owner + 1 : undefined
  while (at < text.length) {
    const start = afterSpaces(text, at)
    const end = endOfLine(text, at)
    const isEmpty = text.slice(start, end).trim() === ""
    if (!isEmpty) least ??= Math.max(start - at, owner + 1)
    if (!isEmpty && (start - at < (least ?? 0) || /^(?:---|\.\.\.)\s*$/.test(text.slice(at, end)))) return at
    at = end + 1
  }
  return at
}

/** One that nothing closes is a sign of its own. */
function afterQuotes(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\" && quote === '"') at++
    else if (text[at] === quote && quote === "'" && text[at + 1] === quote) at++
    else if (text[at] === quote) return at + 1
  }
  return start + 1
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (text[at] === " " || text[at] === "\t" || text[at] === "\r") at++
  return at
}

function afterSpaces(text: string, from: number): number {
  let at = from
  while (text[at] === " ") at++
  return at
}

function isBlank(char: string | undefined): boolean {
  return char === undefined || char === " " || char === "\t" || char === "\r" || char === "\n"
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

const NONE = -1
const BLOCK = /[|>](?:[+-]?[1-9]?|[1-9][+-])[ \t]*(?:[ \t]#[^\n]*)?\r?(?=\n|$)/y
const ITEM = /(?:[-?]|---)(?=\s)/y
// What stands before a value and is none.
const TAG = /[!&][^\s,[\]{}]*/y
const KEY = /[ \t]*(?:[-?][ \t]+)*/y
const PLAIN = /[^\s#:,[\]{}]+|#/y
