import { createScanner, type Edit, type Node } from "jsonc-parser"

// jsonc-parser's own `modify` drops comments beside a removed element and moves an element's comment to the next
// one when it adds. These two edits keep every byte that is not the element or its comma.

/** Edits that put `content` behind the last child of an object or array, in the style of its neighbours. */
export function appendChild(text: string, container: Node, content: string): Edit[] {
  const last = container.children?.at(-1)
  if (last === undefined) return [fillEmpty(text, container, content)]

  const end = endOf(last)
  const tail = readTail(text, end, closeOf(container))
  const ownLine = startsLine(text, last.offset)
  const gap =
    ownLine || tail.afterLineComment
      ? eolOf(text) + indentAt(text, last.offset) + (ownLine ? "" : indentUnit(text))
      : " "
  // A trailing comma stays a trailing comma.
  if (tail.comma !== undefined) return [insert(tail.point, `${gap}${content},`)]
  if (tail.point === end) return [insert(end, `,${gap}${content}`)]
  return [insert(end, ","), insert(tail.point, gap + content)]
}

/** Edits that take one child out, with its comma and, where it was alone on it, its line. Comments stay. */
export function removeChild(text: string, container: Node, index: number): Edit[] {
  const children = container.children ?? []
  const child = children[index]
  if (child === undefined) return []

  const start = child.offset
  const close = closeOf(container)
  const next = children[index + 1]
  const previous = children[index - 1]
  const edits: Edit[] = []

  let end = endOf(child)
  const commaAfter = readTail(text, end, next?.offset ?? close).comma
  if (commaAfter !== undefined) {
    if (text.slice(end, commaAfter).trim() === "") end = commaAfter + 1
    else edits.push(cut(commaAfter, commaAfter + 1))
  } else if (previous !== undefined) {
    const commaBefore = readTail(text, endOf(previous), start).comma
    if (commaBefore !== undefined) edits.push(cut(commaBefore, commaBefore + 1))
  }

  const blankFrom = text.slice(0, start).replace(/[ \t]+$/, "").length
  const blankTo = text.length - text.slice(end).replace(/^[ \t]+/, "").length
  if (startsLine(text, start)) {
    const lineBreak = blankFrom - (text.startsWith("\r\n", blankFrom - 2) ? 2 : 1)
    if (isLineBreak(text[blankTo])) return [...edits, cut(lineBreak, blankTo)]
    // The bracket may only move up to the line above when no `//` comment ends that line.
    const above = previous === undefined ? container.offset + 1 : endOf(previous)
    if (blankTo === close && !readTail(text, above, start).hasLineComment)
      return [...edits, cut(lineBreak, end)]
    return [...edits, cut(start, blankTo)]
  }
  return [...edits, next === undefined ? cut(blankFrom, end) : cut(start, blankTo)]
}

function fillEmpty(text: string, container: Node, content: string): Edit {
  const open = container.offset + 1
  const close = closeOf(container)
  const { lastBreak, lastComment } = readTail(text, open, close)
  if (lastBreak !== undefined) {
    return insert(lastBreak, eolOf(text) + indentAt(text, close) + indentUnit(text) + content)
  }
  if (lastComment !== undefined) return insert(lastComment, ` ${content}`)
  if (container.type === "array") return insert(open, content)
  const eol = eolOf(text)
  return { offset: open, length: close - open, content: `${eol}${DEFAULT_INDENT}${content}${eol}` }
}

interface Tail {
  comma: number | undefined
  /** The end of the line that the value (or its comma) is on, comments included. */
  point: number
  /** True if `point` is the end of a `//` comment, so that nothing can follow on that line. */
  afterLineComment: boolean
  hasLineComment: boolean
  /** Where the last line break outside a comment begins, and where the last comment ends. */
  lastBreak: number | undefined
  lastComment: number | undefined
}

/** Reads what is between a value and its next sibling or closing bracket: comma, comments, line breaks. */
function readTail(text: string, from: number, to: number): Tail {
  const tail: Tail = {
    comma: undefined,
    point: from,
    afterLineComment: false,
    hasLineComment: false,
    lastBreak: undefined,
    lastComment: undefined,
  }
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  let sameLine = true
  for (;;) {
    scanner.scan()
    const at = scanner.getTokenOffset()
    if (at >= to) return tail
    const isComment = text[at] === "/"
    const isLineComment = text.startsWith("//", at)
    const isComma = text[at] === ","
    if (isComma) tail.comma = at
    if (isComment) tail.lastComment = scanner.getPosition()
    if (isLineComment) tail.hasLineComment = true
    if (isLineBreak(text[at])) tail.lastBreak = at
    // A comma may be on its own line below the value; then its line counts.
    sameLine = isComma || (sameLine && !isLineBreak(text[at]))
    if (sameLine && (isComma || isComment)) {
      tail.point = scanner.getPosition()
      tail.afterLineComment = isLineComment
    }
  }
}

const DEFAULT_INDENT = "  "

function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? DEFAULT_INDENT
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ""
}

function startsLine(text: string, offset: number): boolean {
  return /\n[ \t]*$/.test(text.slice(0, offset))
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n"
}

const isLineBreak = (char: string | undefined) => char === "\n" || char === "\r"
const endOf = (node: Node) => node.offset + node.length
const closeOf = (container: Node) => endOf(container) - 1
const insert = (offset: number, content: string): Edit => ({ offset, length: 0, content })
const cut = (from: number, to: number): Edit => ({ offset: from, length: to - from, content: "" })
