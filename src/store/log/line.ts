import { createHash } from "node:crypto"
import * as z from "zod"
import { firstIssue } from "../../schemas/checked.ts"
import { type Entry, entryLine as lineSchema, readEntry } from "../../schemas/entry.ts"

export type Line =
  | { what: "entry"; entry: Entry }
  | { what: "seal"; sealed: readonly SegmentSum[] }
  /** `isTorn`: only the beginning of a line, because its write was interrupted. The write was not acknowledged. */
  | { what: "broken"; reason: string; isTorn?: boolean }

/** Checksums of a segment's blocks. They show in which block the segment was changed. */
export const segmentSum = z.strictObject({ segment: z.int().min(1), bytes: z.int().min(1), sums: z.string() })
export type SegmentSum = z.infer<typeof segmentSum>

/** Renders an entry. The checksum includes the segment's number, so a copy in another segment is invalid. */
export function entryLine(entry: Entry, segment: number): string {
  return withSum(JSON.stringify(entry), segment)
}

/** Renders the line that ends a segment. It repeats the checksums of earlier segments. */
export function sealLine(segment: number, sealed: readonly SegmentSum[] = []): string {
  return withSum(JSON.stringify({ seal: segment, ...(sealed.length === 0 ? {} : { sealed }) }), segment)
}

/** Parses a line. Returns "broken" instead of throwing. */
export function parseLine(found: Buffer, segment: number): Line {
  const bytes = withoutZeros(found)
  if (bytes.length > MAX_LINE_BYTES) return { what: "broken", reason: `the line has ${bytes.length} bytes` }
  const body = checkedBody(bytes, segment) ?? checkedBody(withoutTrailingJunk(bytes), segment)
  if (body === undefined)
    return isTorn(bytes)
      ? { what: "broken", reason: TORN, isTorn: true }
      : { what: "broken", reason: DAMAGED }
  try {
    const value: unknown = JSON.parse(body)
    const seal = sealSchema.safeParse(value)
    if (seal.success) return { what: "seal", sealed: seal.data.sealed }
    const parsed = lineSchema.safeParse(value)
    if (parsed.success) return { what: "entry", entry: readEntry(parsed.data) }
    return { what: "broken", reason: `the line is not an entry: ${firstIssue(parsed.error)}` }
  } catch (error) {
    const why = error instanceof Error ? error.message : ""
    return { what: "broken", reason: `the line cannot be read: ${why}` }
  }
}

/** Cuts off zeros, which a power cut may leave in place of the next line. */
function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length
  while (bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}

/** Cuts off text that another program has appended to the log's last line, which ends without a newline. */
function withoutTrailingJunk(bytes: Buffer): Buffer {
  const sum = bytes.indexOf(SUM_START)
  return sum === -1 ? bytes : bytes.subarray(0, sum + SUM_BYTES)
}

export function isSealLine(bytes: Buffer): boolean {
  return bytes.subarray(0, SEAL_START.length).equals(SEAL_START)
}

/** Adds a checksum. `segment` is 0 for files other than the log. */
export function withSum(json: string, segment: number): string {
  const body = json.slice(0, -1)
  return `${body},"sum":"${sumOf(body, segment)}"}`
}

/** Returns the JSON without its checksum; undefined if the checksum does not match. */
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

/** True if the line begins correctly, but lacks its end. */
function isTorn(bytes: Buffer): boolean {
  const isStart = [ENTRY_START, SEAL_START].some((start) =>
    start.subarray(0, bytes.length).equals(bytes.subarray(0, start.length)),
  )
  return isStart && !bytes.includes(0) && !bytes.subarray(-LINE_END.length).equals(LINE_END)
}

const sealSchema = z.looseObject({ seal: z.int(), sealed: z.array(segmentSum).catch([]) })
const DAMAGED = "the line's checksum is missing or wrong: the line is torn or damaged"
const TORN = "an interrupted write, which was never reported as saved"
const ENTRY_START = Buffer.from('{"id":"')
const LINE_END = Buffer.from('"}')
const SEAL_START = Buffer.from('{"seal":')
const SUM_START = Buffer.from(',"sum":"')
const SUM_CHARS = 10
const SUM_BYTES = SUM_START.length + SUM_CHARS + '"}'.length
export const MAX_LINE_BYTES = 16 << 20
