import { readFile, stat } from "node:fs/promises"
import { basename } from "node:path"
import { cutAt, objectFrom } from "../records/fields.ts"
import type { SourceRecord } from "../records/report.ts"

/** A line with an object. */
export interface JsonLine {
  number: number
  /** The file and the line, for people. */
  from: string
  fields: Record<string, unknown>
}

/** The lines of a file that are not empty: their objects, or why a line cannot be used. */
export async function* jsonLines(
  path: string,
): AsyncGenerator<JsonLine | { unusable: SourceRecord }, void, void> {
  const name = basename(path)
  const { size } = await stat(path)
  if (size > MAX_FILE_BYTES) {
    const quarantine = `larger than ${MAX_FILE_BYTES >> 20} MB: divide it`
    yield { unusable: { from: name, quarantine, original: { bytes: size } } }
    return
  }
  const text = (await readFile(path, "utf8")).replace(/^\ufeff/, "")
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const from = `${name}:${at + 1}`
    const read = line.length > MAX_LINE_CHARS ? TOO_LONG : parsed(line)
    if ("fields" in read) yield { number: at + 1, from, fields: read.fields }
    else yield { unusable: { from, quarantine: read.fault, original: cutAt(line, MAX_KEPT_CHARS) } }
  }
}

function parsed(line: string): { fields: Record<string, unknown> } | { fault: string } {
  try {
    const fields = objectFrom(JSON.parse(line))
    return fields === undefined ? { fault: "not an object" } : { fields }
  } catch {
    return { fault: /^(<{7}|={7}|>{7})/.test(line) ? "a mark of an unfinished merge" : "not valid JSON" }
  }
}

const TOO_LONG = { fault: "a line that is too long to be one record" }
// The largest records that tools write are some hundred kilobytes long.
const MAX_LINE_CHARS = 4_000_000
const MAX_FILE_BYTES = 200 << 20
const MAX_KEPT_CHARS = 20_000
