import { createHash } from "node:crypto"
import * as z from "zod"
import { type Entry, entryLine as lineSchema, readEntry } from "../../schemas/entry.ts"
import { firstIssue } from "../../schemas/first-issue.ts"

/** What a line of the log can be: an entry, the end of its segment, or nothing that counts. */
export type Line =
  | { what: "entry"; entry: Entry }
  | { what: "seal"; sealed: readonly SegmentSum[] }
  /** `isTorn`: the beginning of a line. Its write failed or was interrupted, and was never acknowledged. */
  | { what: "broken"; reason: string; isTorn?: boolean }

/** Checksums of a segment up to the end of its seal, one per block: they show where it was changed. */
export const segmentSum = z.strictObject({
  segment: z.int().min(1),
  bytes: z.int().min(1),
  sums: z.string(),
})
export type SegmentSum = z.infer<typeof segmentSum>

/**
 * An entry as one line. Its last field is a checksum of everything before it and of the segment's number: a line that
 * somebody has put into another segment, perhaps with its whole file, does not count there.
 */
export function entryLine(entry: Entry, segment: number): string {
  return withSum(JSON.stringify(entry), segment)
}

/**
 * The line that ends a segment: lines after it do not count, and the log goes on in the next segment. It repeats the
 * checksums of segments that were sealed before. Its own are known only once it is there: the manifest has them.
 */
export function sealLine(segment: number, sealed: readonly SegmentSum[] = []): string {
  return withSum(JSON.stringify({ seal: segment, ...(sealed.length === 0 ? {} : { sealed }) }), segment)
}

/** Reads a line of a segment. Never throws: a line can be anything. */
export function parseLine(found: Buffer, segment: number): Line {
  const bytes = withoutZeros(found)
  if (bytes.length > MAX_LINE_BYTES) return { what: "broken", reason: `the line has ${bytes.length} bytes` }
  const body = checkedBody(bytes, segment)
  if (body === undefined)
    return isTorn(bytes)
      ? { what: "broken", reason: TORN, isTorn: true }
      : { what: "broken", reason: DAMAGED }
  try {
    const value: unknown = JSON.parse(body)
    if (isSeal(value)) return { what: "seal", sealed: sumsIn(value) }
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

/** A whole line ends with its checksum; a torn one is the beginning of a line and ends anywhere. */
function isTorn(bytes: Buffer): boolean {
  const isStart = [ENTRY_START, SEAL_START].some((start) =>
    start.subarray(0, bytes.length).equals(bytes.subarray(0, start.length)),
  )
  return isStart && !bytes.includes(0) && !bytes.subarray(-LINE_END.length).equals(LINE_END)
}

/** None in a seal of an older version. */
function sumsIn(seal: { sealed?: unknown }): SegmentSum[] {
  return z.array(segmentSum).safeParse(seal.sealed).data ?? []
}

function isSeal(value: unknown): value is { seal: number; sealed?: unknown } {
  if (typeof value !== "object" || value === null || !("seal" in value)) return false
  return Number.isSafeInteger(value.seal)
}

const DAMAGED = "the line's checksum is missing or does not fit: it is torn or damaged"
const TORN = "a write was interrupted here and was not acknowledged"
const ENTRY_START = Buffer.from('{"id":"')
const LINE_END = Buffer.from('"}')
const SEAL_START = Buffer.from('{"seal":')
const SUM_START = Buffer.from(',"sum":"')
const SUM_CHARS = 10
const SUM_BYTES = SUM_START.length + SUM_CHARS + '"}'.length
/** No entry is written that is longer; what is longer was not written by us. */
export const MAX_LINE_BYTES = 16 << 20
