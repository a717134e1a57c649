import { readFile, stat } from "node:fs/promises"
import { systemCode } from "../../shared/system-error.ts"

/** One value of a JSON file: a field of its object, or an element where that field (or the whole file) is a list. */
export type JsonItem = { key: string; index: number | null } & (
  | { value: unknown }
  /** A value that is not JSON, as text; undefined where the file cannot be read. */
  | { fault: string; text: string | undefined }
)

/** The values of a JSON file. In a damaged file a broken value costs only itself. */
export async function* jsonItems(path: string): AsyncGenerator<JsonItem, void, void> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) {
      yield { key: "", index: null, fault: `larger than ${MAX_FILE_BYTES >> 20} MB`, text: undefined }
      return
    }
    text = (await readFile(path, "utf8")).replace(/^\ufeff/, "")
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    yield { key: "", index: null, fault: `cannot be read (${systemCode(error)})`, text: undefined }
    return
  }
  if (text.trim() === "") return
  const value = parsed(text)
  if (typeof value === "object" && value !== null) yield* itemsOf(value)
  else if (value === undefined) yield* itemsOfDamaged(text)
  else yield { key: "", index: null, fault: NO_RECORDS, text: shown(text) }
}

function* itemsOf(value: object): Generator<JsonItem, void, void> {
  const fields = Array.isArray(value) ? { "": value } : value
  for (const [key, field] of Object.entries(fields))
    if (Array.isArray(field)) for (const [index, each] of field.entries()) yield { key, index, value: each }
    else yield { key, index: null, value: field }
}

/** The values around the faults. Of a broken object the readable part counts, such as all nodes of a tree before a cut. */
async function* itemsOfDamaged(text: string): AsyncGenerator<JsonItem, void, void> {
  const { getNodeValue, parseTree } = await import("jsonc-parser") // Rarely needed.
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
  if (items.length === 0) yield { key: "", index: null, fault: NO_RECORDS, text: shown(text) }
  for (const [n, { key, index, node }] of items.entries()) {
    // A cut shows only behind the last value.
    const end = items[n + 1]?.node.offset ?? text.length + 1
    const isDamaged = errors.some(({ offset }) => offset >= node.offset && offset < end)
    if (!isDamaged || index === null) yield { key, index, value: getNodeValue(node) as unknown }
    if (isDamaged) yield { key, index, fault: DAMAGED, text: shown(text.slice(node.offset, end)) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Damaged: it is read piece by piece.
  }
}

function shown(text: string): string {
  return text.slice(0, MAX_SHOWN_CHARS)
}

const NO_RECORDS = "neither an object nor a list"
const DAMAGED = "the file is cut off or damaged here"
// Parsed at once: a file of a megabyte takes some ten milliseconds, and no older tool has written more than a few.
const MAX_FILE_BYTES = 50 << 20
const MAX_SHOWN_CHARS = 1 << 20
