import { type CommentRecord, type TodoRecord, todoTag } from "../../schemas/codemap.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import type { Language, StringSyntax } from "./languages.ts"

export interface RawComment {
  start: number
  end: number
  text: string
  isDoc: boolean
}

/** Finds comments without a parser. It only has to tell comments from strings. */
export function findComments(text: string, language: Language): RawComment[] {
  const comments: RawComment[] = []
  const marks = marksOf(language)
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const [mark, heredoc] = found
    const at = found.index
    const string = language.strings.find(({ begin }) => begin === mark)
    const isComment = mark === language.line || mark === "/*"
    if (string !== undefined) {
      marks.lastIndex = endOfString(text, at, string)
      const end = marks.lastIndex
      if (language.docStrings && mark.length === 3 && isDocString(text, at))
        comments.push({ start: at, end, text: text.slice(at + 3, end - 3), isDoc: true })
    } else if (heredoc !== undefined) marks.lastIndex = endOfHeredoc(text, at, heredoc)
    else if (isComment && !(language.needsBlank && mark !== "/*" && /\S/.test(text[at - 1] ?? " "))) {
      const comment = commentAt(text, at, mark, language)
      comments.push(comment)
      marks.lastIndex = comment.end
    }
  }
  return comments
}

function marksOf({ name, line, hasBlockComments, strings }: Language): RegExp {
  const plain = [...strings.map(({ begin }) => begin), ...(line === undefined ? [] : [line])]
  const escaped = plain.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  const heredoc = name === "shell" ? [String.raw`<<-?\s*["']?(\w+)["']?`] : []
  const character = name === "Rust" ? [String.raw`'(?:\\.[^'\n]{0,10}|[^\\'\n]{1,2})'`] : []
  const block = hasBlockComments ? [String.raw`/\*`] : []
  return new RegExp([...heredoc, ...character, ...escaped, ...block].join("|"), "g")
}

function commentAt(text: string, start: number, mark: string, { doc = [], canNest }: Language): RawComment {
  const isDoc = doc.some((each) => text.startsWith(each, start)) && !text.startsWith("/**/", start)
  const isBlock = mark === "/*"
  const end = isBlock ? endOfBlock(text, start, canNest === true) : endOfLine(text, start)
  return { start, end, text: text.slice(start + mark.length, isBlock ? end - 2 : end), isDoc }
}

function endOfBlock(text: string, start: number, canNest: boolean): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = start + 2
  let depth = 1
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    if (found[0] === "*/") depth--
    else if (canNest) depth++
    if (depth === 0) return marks.lastIndex
  }
  return text.length
}

function endOfString(text: string, start: number, { begin, end, raw, multiline }: StringSyntax): number {
  let at = start + begin.length
  while (at < text.length) {
    if (text.startsWith(end, at)) return at + end.length
    if (text[at] === "\n" && !multiline) return at
    at += text[at] === "\\" && !raw ? 2 : 1
  }
  return text.length
}

function endOfHeredoc(text: string, start: number, word: string): number {
  const from = endOfLine(text, start)
  const found = new RegExp(String.raw`^\t*${word}$`, "m").exec(text.slice(from, from + MAX_HEREDOC))
  return found === null ? from : from + found.index + found[0].length
}

/** Whether a Python string is the first thing in its file, or follows a line that ends with a colon. */
function isDocString(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LOOK_BACK), at).replace(/(^|\n)\s*#[^\n]*/g, "$1")
  return /(?:^|:|["']{3})\s*$/.test(before)
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

export type LineAt = (offset: number) => number

export function lineCounter(text: string): LineAt {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The text as one line of at most `max` characters. Masks secrets first, as a shortened secret is not recognised. */
export function oneLine(text: string, max: number): string {
  const flat = maskSecrets(text.slice(0, max * 8))
    .replace(/\s+/g, " ")
    .trim()
  return flat.length > max ? `${flat.slice(0, max - 1).trimEnd()}…` : flat
}

export function joinLineComments(comments: readonly RawComment[], text: string): RawComment[] {
  const joined: RawComment[] = []
  for (const comment of comments) {
    const last = joined.at(-1)
    const areLines = last && !text.startsWith("/*", comment.start) && !text.startsWith("/*", last.start)
    if (areLines && /^\n[ \t]*$/.test(text.slice(last.end, comment.start)))
      joined[joined.length - 1] = {
        ...last,
        end: comment.end,
        text: `${last.text}\n${comment.text}`,
        isDoc: last.isDoc && comment.isDoc,
      }
    else joined.push(comment)
  }
  return joined
}

/** Keeps doc comments, and others of three or more words. Skips licence headers and directives for linters and compilers. */
export function commentRecords(comments: readonly RawComment[], lineAt: LineAt): CommentRecord[] {
  const records: CommentRecord[] = []
  for (const { start, text: raw, isDoc } of comments) {
    const text = plainText(raw)
    if (text === "" || DIRECTIVE.test(text)) continue
    if (!isDoc && (!/ .* /.test(text) || LICENCE.test(text))) continue
    records.push({ line: lineAt(start), text, isDoc })
    if (records.length >= MAX_COMMENTS) break
  }
  return records
}

/** Finds TODO, FIXME, HACK and NOTE tags in comments. The pattern TAG skips sentences that only mention these words. */
export function todoRecords(comments: readonly RawComment[], text: string, lineAt: LineAt): TodoRecord[] {
  const todos: TodoRecord[] = []
  let lines: string[] | undefined
  for (const comment of comments) {
    if (!/todo|fixme|hack|note/i.test(comment.text)) continue
    lines ??= text.split("\n")
    const first = lineAt(comment.start)
    for (const [index, part] of comment.text.split("\n").entries()) {
      // Secrets are masked before the tag is cut off, because `--password x` is recognised by its dashes, which TAG removes.
      const [, begun, marked, rest = ""] = TAG.exec(maskSecrets(part)) ?? []
      const tag = todoTag.options.find((each) => each === (begun ?? marked)?.toUpperCase())
      if (tag === undefined) continue
      const context = contextOf(comment, text, lines, lineAt(comment.end))
      todos.push({ line: first + index, tag, text: oneLine(rest, MAX_TODO), context })
      if (todos.length >= MAX_TODOS) return todos
    }
  }
  return todos
}

function contextOf(comment: RawComment, text: string, lines: readonly string[], lastLine: number): string {
  const lineStart = text.lastIndexOf("\n", comment.start - 1) + 1
  const before = text.slice(lineStart, comment.start).replace(/[{(]$/, "").trim()
  const next = () => lines.slice(lastLine, lastLine + LOOK_AHEAD).find((each) => !NO_CODE.test(each)) ?? ""
  return oneLine(before === "" ? next() : before, MAX_CONTEXT)
}

function plainText(text: string): string {
  const start = text.slice(0, MAX_TEXT * 4).replace(/^[\s*!/]+/, "")
  return oneLine(start.replace(/\n[ \t]*(?:\*+(?!\w)|\/\/+|#+)?[ \t]?/g, "\n"), MAX_TEXT)
}

const LICENCE = /\b(?:copyright|licen[cs]e[ds]?|SPDX)\b/i
const DIRECTIVE =
  /^(?:eslint|biome|prettier|@ts-|istanbul|c8 |v8 |webpack|vite-ignore|#__PURE__|@__PURE__|noqa|pylint|type: ignore|nolint|shellcheck|#?region|#?endregion|!\/|<reference)/
// At the start of a line, a tag is in capitals or followed by `:` or `(` (`todo:`). Inside a line it must be both (`TODO:`).
const TAG =
  /(?:^[\s*!/#;-]*@?(TODO|FIXME|HACK|NOTE|[Tt]odo(?=[:(])|[Ff]ixme(?=[:(])|[Hh]ack(?=:)|[Nn]ote(?=:)|(?<=@)todo\b)|\b(TODO|FIXME|HACK|NOTE)(?=[:(]))\b(?:\([^)]*\))?[:\s-]*(.*)/
const NO_CODE = /^\s*(?:$|\/\/|\/\*|\*|#(?!\w)|<!--|--)/
const MAX_HEREDOC = 50_000
const LOOK_BACK = 300
const LOOK_AHEAD = 12
const MAX_TEXT = 240
const MAX_COMMENTS = 80
const MAX_TODO = 200
const MAX_CONTEXT = 120
const MAX_TODOS = 200
