import { createHash } from "node:crypto"
import { type Entry, entryLine as lineSchema, readEntry } from "../../schemas/entry.ts"
import { firstIssue } from "../../schemas/first-issue.ts"

/** What a line of the log can be: an entry, the end of its segment, or nothing that counts. */
export type Line = { what: "entry"; entry: Entry } | { what: "seal" } | { what: "broken"; reason: string }

/**
 * An entry as one line. Its last field is a checksum of everything before it and of the segment's number: a line that
 * somebody has put into another segment, perhaps with its whole file, does not count there.
 */
export function entryLine(entry: Entry, segment: number): string {
  return withSum(JSON.stringify(entry), segment)
}

/** The line that ends a segment: whatever stands behind it does not count, and the log goes on in the next segment. */
export function sealLine(segment: number): string {
  return withSum(JSON.stringify({ seal: segment }), segment)
}

/** Reads a line of a segment. Never throws: a line can be anything. */
export function parseLine(found: Buffer, segment: number): Line {
  const bytes = withoutZeros(found)
  if (bytes.length > MAX_LINE_BYTES) return { what: "broken", reason: `the line has ${bytes.length} bytes` }
  const body = checkedBody(bytes, segment)
  if (body === undefined)
    return { what: "broken", reason: "the line's checksum is missing or does not fit: it is torn or damaged" }
  try {
    const value: unknown = JSON.parse(body)
    if (isSeal(value)) return { what: "seal" }
    const parsed = lineSchema.safeParse(value)
    if (parsed.success) return { what: "entry", entry: readEntry(parsed.data) }
    return { what: "broken", reason: `the line is not an entry: ${firstIssue(parsed.error)}` }
  } catch (error) {
    return {
      what: "broken",
      reason: `the line cannot be read: ${error instanceof Error ? error.message : ""}`,
    }
  }
}

/** After a power cut there may be zeros where the next line was to be. That line is lost, the one before it is whole. */
function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length
  while (bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}

/** True of a line that looks like a seal, at first sight. */
export function isSealLine(bytes: Buffer): boolean {
  return bytes.subarray(0, SEAL_START.length).equals(SEAL_START)
}

/** JSON with a checksum as its last field; `segment` is 0 for what is not a line of the log. */
export function withSum(json: string, segment: number): string {
  const body = json.slice(0, -1)
  return `${body},"sum":"${sumOf(body, segment)}"}`
}

/** The JSON without the checksum, if that fits. */
export function checkedBody(bytes: Buffer, segment: number): string | undefined {
  const end = bytes.length - SUM_BYTES
  if (end < 2 || !bytes.subarray(end, end + SUM_START.length).equals(SUM_START)) return undefined
  const body = bytes.subarray(0, end)
  const sum = bytes.toString("latin1", end + SUM_START.length, bytes.length - 2)
  return sum === sumOf(body, segment) ? `${body.toString("utf8")}}` : undefined
}

function sumOf(body: string | Buffer, segment: number): string {
  return createHash("sha1").update(`${segment}\n`).update(body).digest("hex").slice(0, SUM_CHARS)
}

function isSeal(value: unknown): value is { seal: number } {
  if (typeof value !== "object" || value === null || !("seal" in value)) return false
  return Number.isSafeInteger(value.seal)
}

const SEAL_START = Buffer.from('{"seal":')
const SUM_START = Buffer.from(',"sum":"')
const SUM_CHARS = 10
const SUM_BYTES = SUM_START.length + SUM_CHARS + '"}'.length
/** No entry is written that is longer; what is longer was not written by us. */
export const MAX_LINE_BYTES = 16 << 20
