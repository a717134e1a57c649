import { readFile, stat } from "node:fs/promises"
import { basename } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import { parseJson } from "../../store/files/json-lines.ts"
import { cutAt, type Fields, objectFrom } from "./fields.ts"
import type { Unusable } from "./report.ts"

/** One value of a JSON file: a field of its object, or an element of a list in such a field or in the file. */
export interface JsonItem {
  from: string
  key: string
  index: number | null
  value: unknown
}

interface JsonFile {
  path: string
  name: string
}

/** Reads the values of a JSON file. If the file is damaged, only the damaged values are lost. */
export async function* jsonItems(file: JsonFile): AsyncGenerator<JsonItem | Unusable, void, void> {
  const text = await readSource(file, MAX_FILE_BYTES)
  if (typeof text !== "string") {
    yield text
    return
  }
  if (text.trim() === "") return
  const value = parseJson(text)
  if (typeof value === "object" && value !== null) yield* itemsOf(file, value)
  else if (value === undefined) yield* itemsOfDamaged(file, text)
  else yield { from: file.name, quarantine: NO_RECORDS, original: shown(text) }
}

/** Reads a whole file as text, or says why it cannot be used. */
export async function readSource(
  { path, name: from }: JsonFile,
  maxBytes: number,
): Promise<string | Unusable> {
  try {
    const { size } = await stat(path)
    if (size > maxBytes) return { from, quarantine: `larger than ${maxBytes >> 20} MB`, original: undefined }
    return (await readFile(path, "utf8")).replace(/^\ufeff/, "")
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return { from, quarantine: `cannot be read (${systemCode(error)})`, original: undefined }
  }
}

export interface JsonLine {
  number: number
  from: string
  fields: Fields
}

/** Reads a file with a JSON object per line. */
export async function* jsonLines(path: string): AsyncGenerator<JsonLine | Unusable, void, void> {
  const name = basename(path)
  const text = await readSource({ path, name }, MAX_LINES_BYTES)
  if (typeof text !== "string") {
    yield text
    return
  }
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const from = `${name}:${at + 1}`
    const value = line.length > MAX_LINE_CHARS ? undefined : parseJson(line)
    const fields = objectFrom(value)
    if (fields !== undefined) yield { number: at + 1, from, fields }
    else yield { from, quarantine: faultOf(line, value), original: cutAt(line, MAX_KEPT_CHARS) }
  }
}

function faultOf(line: string, value: unknown): string {
  if (line.length > MAX_LINE_CHARS) return "a line that is too long to be one record"
  if (value !== undefined) return "not an object"
  return /^(<{7}|={7}|>{7})/.test(line) ? "a conflict marker of an unfinished merge" : "not valid JSON"
}

export function placeIn({ name }: Pick<JsonFile, "name">, key: string, index: number | null = null): string {
  return index === null ? `${name} ${key}`.trim() : `${name} ${key}[${index}]`
}

function* itemsOf(file: JsonFile, value: object): Generator<JsonItem, void, void> {
  const item = (key: string, index: number | null, each: unknown): JsonItem => {
    return { from: placeIn(file, key, index), key, index, value: each }
  }
  for (const [key, field] of Object.entries(Array.isArray(value) ? { "": value } : value))
    if (Array.isArray(field)) for (const [index, each] of field.entries()) yield item(key, index, each)
    else yield item(key, null, field)
}

/** Reads a damaged file. The readable part of a damaged value is used too, unless the value is in a list. */
async function* itemsOfDamaged(file: JsonFile, text: string) {
  const { getNodeValue, parseTree } = await import("jsonc-parser")
  type Node = NonNullable<ReturnType<typeof parseTree>>
  const errors: { offset: number; length: number; error: number }[] = []
  const root = parseTree(text, errors)
  const items: { key: string; index: number | null; node: Node }[] = []
  const add = (key: string, node: Node | undefined) => {
    if (node?.type === "array")
      for (const [index, each] of (node.children ?? []).entries()) items.push({ key, index, node: each })
    else if (node !== undefined) items.push({ key, index: null, node })
  }
  if (root?.type === "object")
    for (const { children: [name, node] = [] } of root.children ?? []) add(String(name?.value ?? ""), node)
  else if (root?.type === "array") add("", root)
  if (items.length === 0) yield { from: file.name, quarantine: NO_RECORDS, original: shown(text) }
  for (const [n, { key, index, node }] of items.entries()) {
    // If the file was cut off, the parser reports the error after the last value.
    const end = items[n + 1]?.node.offset ?? text.length + 1
    const isDamaged = errors.some(({ offset }) => offset >= node.offset && offset < end)
    const from = placeIn(file, key, index)
    if (!isDamaged || index === null) yield { from, key, index, value: getNodeValue(node) as unknown }
    if (isDamaged) yield { from, quarantine: DAMAGED, original: shown(text.slice(node.offset, end)) }
  }
}

function shown(text: string): string {
  return text.slice(0, MAX_SHOWN_CHARS)
}

const NO_RECORDS = "neither an object nor a list"
const DAMAGED = "the file is cut off or damaged here"
// A file is parsed in one go, which takes about ten milliseconds per megabyte, so larger files are not read.
const MAX_FILE_BYTES = 50 << 20
const MAX_SHOWN_CHARS = 1 << 20
// A file of lines is parsed line by line, so it may be larger. Real records have at most some hundred kilobytes.
const MAX_LINES_BYTES = 200 << 20
const MAX_LINE_CHARS = 4_000_000
const MAX_KEPT_CHARS = 20_000
