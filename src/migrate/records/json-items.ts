import { readFile, stat } from "node:fs/promises"
import { systemCode } from "../../shared/system-error.ts"
import { salvage } from "../../store/snapshot/salvage.ts"

/** One value of a JSON file: a field of its object, or an element where that field (or the whole file) is a list. */
export type JsonItem = { key: string; index: number | null } & (
  | { value: unknown }
  /** A value that is not JSON, as text; undefined where the file cannot be read. */
  | { fault: string; text: string | undefined }
)

/**
 * The values of a JSON file one by one. A large file is parsed one value at a time, so the event loop stays free. A value that
 * is not JSON costs only itself. Where the file is cut off, the whole records behind the last good value are still found.
 */
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
  const start = text.search(/\S/)
  if (start < 0) return
  if (text[start] === "[") yield* elements(text, start + 1, "")
  else if (text[start] === "{") yield* fields(text, start + 1)
  else yield { key: "", index: null, fault: "neither an object nor a list", text: shown(text) }
}

async function* fields(text: string, start: number): AsyncGenerator<JsonItem, void, void> {
  for (let at = start; ; ) {
    const name = FIELD.exec(text.slice(at, at + MAX_NAME_CHARS))
    if (name === null) {
      // The end of the object, or no field at all.
      const rest = text.slice(at).trim()
      if (!rest.startsWith("}")) yield { key: "", index: null, fault: CUT_OFF, text: shown(rest) }
      return
    }
    const [before, quoted = '""'] = name
    const key = nameIn(quoted)
    at += before.length
    if (text[at] === "[") {
      const end = yield* elements(text, at + 1, key)
      if (end < 0) return
      at = end
    } else {
      const end = endOfValue(text, at)
      if (end < 0) {
        yield* cutValue(text.slice(at), key)
        return
      }
      yield parsed(text.slice(at, end), key, null)
      at = end
    }
    at += /^\s*,?/.exec(text.slice(at, at + MAX_NAME_CHARS))?.[0].length ?? 0
  }
}

/** Returns where the text goes on behind the list; -1 where it is cut off. */
async function* elements(text: string, start: number, key: string): AsyncGenerator<JsonItem, number, void> {
  for (let at = start, index = 0; ; index++) {
    const end = endOfValue(text, at)
    if (end < 0) {
      const { objects, lost } = salvage(text.slice(at))
      for (const value of objects) yield { key, index, value }
      yield { key, index, fault: CUT_OFF, text: shown(lost.join("\n")) }
      return -1
    }
    const element = text.slice(at, end)
    if (element.trim() !== "") yield parsed(element, key, index)
    if (text[end] !== ",") return end + 1
    at = end + 1
  }
}

/** The readable part of an object that is cut off, such as all nodes of a tree before the cut. */
async function* cutValue(text: string, key: string): AsyncGenerator<JsonItem, void, void> {
  const { parse } = await import("jsonc-parser")
  yield { key, index: null, value: parse(text) }
  yield { key, index: null, fault: CUT_OFF, text: shown(text) }
}

function parsed(text: string, key: string, index: number | null): JsonItem {
  try {
    return { key, index, value: JSON.parse(text) }
  } catch (error) {
    return { key, index, fault: `not JSON: ${(error as Error).message}`, text: shown(text.trim()) }
  }
}

/** Where the `,` or the closing bracket behind a value stands; -1 where the text ends before that. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++
    } else if (char === "{" || char === "[") depth++
    else if (depth === 0 && (char === "," || char === "}" || char === "]")) return at
    else if (char === "}" || char === "]") depth--
  }
  return -1
}

function nameIn(quoted: string): string {
  try {
    return JSON.parse(quoted)
  } catch {
    return quoted // A broken name: its value is still counted.
  }
}

function shown(text: string): string {
  return text.slice(0, MAX_SHOWN_CHARS)
}

const FIELD = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*/s
const CUT_OFF = "the file is cut off or damaged here"
const MAX_FILE_BYTES = 200 << 20
const MAX_NAME_CHARS = 2000
const MAX_SHOWN_CHARS = 1 << 20
