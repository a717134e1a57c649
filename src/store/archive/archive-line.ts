import { type Mem, mem as memSchema } from "../../schemas/knowledge.ts"
import { checkedBody, withSum } from "../log/line.ts"

/** Says of a mem that stands in an older file that it was dropped since. */
export interface Gone {
  id: string
  gone: true
}

/** As it stands in a file: the id first, by which the lines are sorted, and a sum at the end. */
export function archiveLine(record: Mem | Gone): string {
  return withSum(JSON.stringify({ ...record, id: record.id }), NO_SEGMENT)
}

/** Undefined for a line that is damaged: the log still has what was in it. */
export function parseLine(line: string): Mem | Gone | undefined {
  const body = checkedBody(Buffer.from(line), NO_SEGMENT)
  if (body === undefined) return undefined
  const value: Mem | Gone = JSON.parse(body)
  return "gone" in value ? value : memSchema.safeParse(value).data
}

export function memOf(found: Mem | Gone | undefined): Mem | undefined {
  return found !== undefined && "gone" in found ? undefined : found
}

export function isWhole(line: string): boolean {
  return checkedBody(Buffer.from(line), NO_SEGMENT) !== undefined
}

export function* withoutGone(lines: Iterable<string>): Generator<string, void, void> {
  for (const line of lines) if (!line.startsWith(GONE, ID_END)) yield line
}

const NO_SEGMENT = 0
// What follows the id in a line; it starts with that.
const ID_END = '{"id":"'.length + 36 + 1
const GONE = ',"gone":true'
