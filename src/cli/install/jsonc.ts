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

/**
 * The text of a person's config file with one value set, appended to an array, or removed; objects and arrays on the way to
 * it are made. Comments, order, indentation, line endings and byte-order mark stay.
 */
export function editJsonc(text: string, path: JsonPath, change: Change, file: string): string {
  const { bom, body, root } = parseJsonc(text, file)
  const expected = changedValue(jsonValue(root), path, change)
  if (root === undefined) return "remove" in change ? text : `${bom}${JSON.stringify(expected, null, 2)}\n`
  const after = bom + applyEdits(body, editsFor(body, root, path, change, file))
  // The last guard before a person's file is written.
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
  /** Undefined for a blank file, which counts as an empty object. */
  root: Node | undefined
}

/** A person's config file as a tree, for edits that keep the rest of it. */
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
        ? "It is not valid JSON (comments and trailing commas are fine)"
        : "A merge was not finished"
    throw brokenConfig(file, `${why}: ${fault}.`, body, errors[0]?.offset ?? 0)
  }
  if (root?.type !== "object") throw brokenConfig(file, "Its content is not an object.", body, 0)
  return { bom, body, root }
}

/** The value of a key; if a key is there twice the last one counts, as for JSON.parse. */
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
    // The line itself is not shown: it may hold a key.
    evidence: `${file}:${line}`,
  })
}

/**
 * OpenCode replaces `{env:X}` and `{file:x}` before it parses, so they may also be outside a string.
 * A number of the same length keeps every offset.
 */
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

function editsFor(
  body: string,
  node: Node,
  [key = "", ...rest]: JsonPath,
  change: Change,
  file: string,
): Edit[] {
  const index =
    typeof key === "number"
      ? key
      : (node.children?.findLastIndex((property) => property.children?.[0]?.value === key) ?? -1)
  const child = node.children?.[index]
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

// one when it adds. These two edits keep every byte that is not the element or its comma.

/** Edits that put `content` behind the last child of an object or array, in the style of its neighbours. */
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
  // A trailing comma stays a trailing comma.
  if (tail.comma !== undefined) return [insert(tail.point, `${gap}${content},`)]
  if (tail.point === end) return [insert(end, `,${gap}${content}`)]
  return [insert(end, ","), insert(tail.point, gap + content)]
}

/** Edits that take one child out, with its comma and, where it was alone on it, its line. Comments stay. */
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

/** Reads the text between a value and its next sibling or closing bracket: comma, comments, line breaks. */
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
