import { readFile, stat } from "node:fs/promises"
import { basename } from "node:path"
import { parseJson } from "../../store/files/json-lines.ts"
import { cutAt, type Fields, objectFrom } from "../records/fields.ts"
import type { Unusable } from "../records/report.ts"

export interface JsonLine {
  number: number
  from: string
  fields: Fields
}

export async function* jsonLines(path: string): AsyncGenerator<JsonLine | Unusable, void, void> {
  const name = basename(path)
  const { size } = await stat(path)
  if (size > MAX_FILE_BYTES) {
    const quarantine = `larger than ${MAX_FILE_BYTES >> 20} MB: split the file`
    yield { from: name, quarantine, original: { bytes: size } }
    return
  }
  const text = (await readFile(path, "utf8")).replace(/^\ufeff/, "")
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

// Longer lines are quarantined. Real records have at most some hundred kilobytes.
const MAX_LINE_CHARS = 4_000_000
const MAX_FILE_BYTES = 200 << 20
const MAX_KEPT_CHARS = 20_000
