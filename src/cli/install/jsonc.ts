import {
  applyEdits,
  createScanner,
  type Edit,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser"
import { HiveError } from "../../shared/error.ts"
import { jsonFault, mergeMarkerLine } from "../../shared/text/json-fault.ts"

export type JsonPath = readonly (string | number)[]
type Change = { set: unknown } | { append: unknown } | { remove: true }

/** Sets or removes one value, or appends to an array. jsonc-parser's own edits would lose comments and line breaks. */
export function editJsonc(text: string, path: JsonPath, change: Change, file: string): string {
  const { bom, body, root } = parseJsonc(text, file)
  const expected = changedValue(jsonValue(root), path, change)
  if (root === undefined) return "remove" in change ? text : `${bom}${JSON.stringify(expected, null, 2)}\n`
  const after = bom + applyEdits(body, editsFor(body, root, path, change, file))
  // Checks that the edit changes nothing else before a user's file is written.
  if (JSON.stringify(jsonValue(parseJsonc(after, file).root)) === JSON.stringify(expected)) return after
  throw new HiveError({
    code: "internal",
    what: `The edit of ${file} would have changed more than its \`${path[0]}\`.`,
    why: "HiveMind checks its own edit before it writes, and this one came out wrong. The file is untouched.",
    use_instead: `Edit \`${path[0]}\` by hand, and please report this.`,
    evidence: file,
  })
}

export interface JsoncFile {
  bom: string
  body: string
  /** The syntax tree; undefined for a blank file, which is edited as if it were `{}`. */
  root: Node | undefined
}

export function parseJsonc(text: string, file: string): JsoncFile {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : ""
  const body = text.slice(bom.length)
  if (body.trim() === "") return { bom, body, root: undefined }
  const errors: ParseError[] = []
  const root = parseTree(maskVariables(body), errors, { allowTrailingComma: true })
  const fault = jsonFault(body, errors)
  if (fault !== undefined) {
    const why =
      mergeMarkerLine(body) === undefined
        ? "The file is not valid JSON (comments and trailing commas are fine)"
        : "The file contains an unfinished merge"
    throw brokenConfig(file, `${why}: ${fault}.`, body, errors[0]?.offset ?? 0)
  }
  if (root?.type !== "object") throw brokenConfig(file, "The file's content is not an object.", body, 0)
  return { bom, body, root }
}

/** The value of a key. If a key is there twice, the last one counts, as in JSON.parse. */
export function valueAt(object: Node | undefined, key: string): Node | undefined {
  return object?.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1]
}

export function brokenConfig(file: string, why: string, body: string, offset: number): HiveError {
  const line = body.slice(0, offset).split("\n").length
  return new HiveError({
    code: "broken_config",
    what: `${file} cannot be changed.`,
    why,
    use_instead: "Correct the file, then try again. It has not been touched.",
    // The text of the line is not shown, because it may contain a secret key.
    evidence: `${file}:${line}`,
  })
}

/** Replaces OpenCode's variables `{env:X}` and `{file:x}` by a number with as many digits, so that offsets stay valid. */
function maskVariables(body: string): string {
  return body.replace(/\{(?:env|file):[^}]+\}/g, (variable) => "1".repeat(variable.length))
}

function jsonValue(root: Node | undefined): unknown {
  return root === undefined ? {} : getNodeValue(root)
}

function changedValue(value: unknown, [key, ...rest]: JsonPath, change: Change): unknown {
  if (key === undefined) {
    if ("append" in change) return [...(Array.isArray(value) ? value : []), change.append]
    return "set" in change ? change.set : undefined
  }
  if (Array.isArray(value) && typeof key === "number") {
    const changed = changedValue(value[key], rest, change)
    return changed === undefined ? value.toSpliced(key, 1) : value.toSpliced(key, 1, changed)
  }
  const object: Record<string, unknown> = typeof value === "object" ? { ...value } : {}
  return { ...object, [key]: changedValue(object[key], rest, change) }
}

function editsFor(body: string, node: Node, path: JsonPath, change: Change, file: string): Edit[] {
  const [key = "", ...rest] = path
  const { children = [] } = node
  const isKey = (property: Node) => property.children?.[0]?.value === key
  const index = typeof key === "number" ? key : children.findLastIndex(isKey)
  const child = children[index]
  const value = typeof key === "number" ? child : child?.children?.[1]
  if (value === undefined) {
    if ("remove" in change) return []
    const content = JSON.stringify(changedValue(undefined, rest, change))
    return appendChild(body, node, `${JSON.stringify(key)}: ${content}`)
  }
  const isContainer = value.type === (typeof rest[0] === "number" ? "array" : "object")
  if (rest.length > 0 && isContainer) return editsFor(body, value, rest, change, file)
  if (rest.length > 0) throw brokenConfig(file, `Its \`${key}\` is not an object.`, body, value.offset)
  if ("remove" in change) return removeChild(body, node, index)
  if ("set" in change)
    return [{ offset: value.offset, length: value.length, content: JSON.stringify(change.set) }]
  if (value.type === "array") return appendChild(body, value, JSON.stringify(change.append))
  throw brokenConfig(file, `Its \`${key}\` is not an array.`, body, value.offset)
}

function appendChild(text: string, container: Node, content: string): Edit[] {
  const last = container.children?.at(-1)
  if (last === undefined) return [fillEmpty(text, container, content)]

  const end = endOf(last)
  const tail = readTail(text, end, closeOf(container))
  const ownLine = startsLine(text, last.offset)
  const gap =
    ownLine || tail.afterLineComment
      ? eolOf(text) + indentAt(text, last.offset) + (ownLine ? "" : indentUnit(text))
      : " "
  if (tail.comma !== undefined) return [insert(tail.point, `${gap}${content},`)]
  if (tail.point === end) return [insert(end, `,${gap}${content}`)]
  return [insert(end, ","), insert(tail.point, gap + content)]
}

/** Edits that remove one child with its comma, and its line if nothing else is on it. Comments stay. */
function removeChild(text: string, container: Node, index: number): Edit[] {
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
    // The closing bracket may only move up to the line above if that line does not end with a `//` comment.
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
  comma?: number
  /** The offset after the value, its comma and the comments on its line. */
  point: number
  /** True if `point` is the end of a `//` comment, so that nothing can follow on that line. */
  afterLineComment: boolean
  hasLineComment: boolean
  /** The offset of the last line break outside of comments, and the offset where the last comment ends. */
  lastBreak?: number
  lastComment?: number
}

/** Reads the text between a value and its next sibling or closing bracket: comma, comments, line breaks. */
function readTail(text: string, from: number, to: number): Tail {
  const tail: Tail = { point: from, afterLineComment: false, hasLineComment: false }
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
    // If the comma is on a line below the value, the rest of that line counts too.
    sameLine = isComma || (sameLine && !isLineBreak(text[at]))
    if (sameLine && (isComma || isComment)) {
      tail.point = scanner.getPosition()
      tail.afterLineComment = isLineComment
    }
  }
}

const DEFAULT_INDENT = "  "

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ""
}

const indentUnit = (text: string) => /\n([ \t]+)\S/.exec(text)?.[1] ?? DEFAULT_INDENT
const startsLine = (text: string, offset: number) => /\n[ \t]*$/.test(text.slice(0, offset))
const eolOf = (text: string) => /\r?\n/.exec(text)?.[0] ?? "\n"
const isLineBreak = (char: string | undefined) => char === "\n" || char === "\r"
const endOf = (node: Node) => node.offset + node.length
const closeOf = (container: Node) => endOf(container) - 1
const insert = (offset: number, content: string): Edit => ({ offset, length: 0, content })
const cut = (from: number, to: number): Edit => ({ offset: from, length: to - from, content: "" })
