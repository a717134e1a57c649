import { createHash } from "node:crypto"
import * as z from "zod"
import { type Problem, quarantined } from "../graph/problem.ts"
import { readRecord } from "../schemas/op.ts"
import { type AnyRecord, type Kind, type SnapshotFile, snapshotFiles } from "../schemas/records.ts"
import { FORMAT } from "./manifest.ts"
import { salvage } from "./salvage.ts"

/** How far into the journal a snapshot reaches: the segments before `segment`, and that one up to `bytes`. */
export interface Watermark {
  segment: number
  bytes: number
  /** The last ordered entry folded in. */
  head: string | null
  /** How far segments before it were read that were still there: a writer may have been slow by a whole fold. */
  older?: readonly (readonly [segment: number, bytes: number])[]
}

export interface Snapshot {
  format: number
  watermark: Watermark
  /** True if the file is byte for byte what a fold wrote: then its records need no second check. */
  untouched: boolean
  records: { kind: Kind; record: AnyRecord }[]
  problems: Problem[]
  /** How long the file is, in characters: what a fold has to rewrite. */
  length: number
}

export const NO_WATERMARK: Watermark = { segment: 0, bytes: 0, head: null }

/** True if an entry that ends there is in a snapshot with this watermark. */
export function isFolded(
  { segment, bytes, older = [] }: Pick<Watermark, "segment" | "bytes" | "older">,
  number: number,
  end: number,
): boolean {
  if (number === segment) return end <= bytes
  if (number > segment) return false
  const read = older.find(([each]) => each === number)?.[1]
  return read === undefined || end <= read
}

/** One record per line: a person can grep and edit it, git can merge it, and damage stays within a line. */
export function renderSnapshot(
  file: SnapshotFile,
  watermark: Watermark,
  recordsOf: (kind: Kind) => Iterable<AnyRecord>,
): string {
  const sections = Object.entries(snapshotFiles[file]).map(([name, kind]) => {
    const lines = Array.from(recordsOf(kind), (record) => JSON.stringify(record))
    return `"${name}":[${lines.length > 0 ? `\n${lines.join(",\n")}\n` : ""}]`
  })
  const body = `${sections.join(",\n")}\n}\n`
  const folded = { ...watermark, check: headerCheck(watermark) }
  return `{\n"format":${FORMAT},\n"folded":${JSON.stringify(folded)},\n"sum":"${sumOf(body)}",\n${body}`
}

/** Reads a snapshot, whatever was done to it. Never throws. */
export function parseSnapshot(file: SnapshotFile, text: string): Snapshot {
  const header = HEADER.exec(text)
  const untouched = header !== null && sumOf(text.slice(header[0].length)) === header[2]
  const format = Number(header?.[1] ?? 1)
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    return salvagedSnapshot(file, text)
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return salvagedSnapshot(file, text)

  const sections: Record<string, unknown> = { ...parsed }
  const watermark = readWatermark(sections["folded"])
  if (untouched && format === FORMAT) {
    // As a fold wrote it: its records were checked then.
    const records = Object.entries(snapshotFiles[file]).flatMap(([name, kind]) =>
      (sections[name] as AnyRecord[]).map((record) => ({ kind, record })),
    )
    return { format, watermark, untouched, records, problems: [], length: text.length }
  }
  const problems: Problem[] = []
  const candidates: { section: string; value: unknown }[] = []
  for (const [section, values] of Object.entries(sections)) {
    if (HEADER_FIELDS.has(section)) continue
    if (Array.isArray(values)) for (const value of values) candidates.push({ section, value })
    else
      problems.push(
        quarantined("broken_part", file, `"${section}" is not a list of records`, {
          raw: JSON.stringify(values),
        }),
      )
  }
  const records = checked(file, candidates, problems)
  return { format, watermark, untouched, records, problems, length: text.length }
}

function salvagedSnapshot(file: SnapshotFile, text: string): Snapshot {
  const { objects, lost } = salvage(text)
  const problems: Problem[] = [
    quarantined("broken_file", file, "the file is not valid JSON; what could be read of it is in use"),
    ...lost.map((raw) => quarantined("broken_part", file, "this part is not valid JSON", { raw })),
  ]
  const folded = /"folded":(\{[^{}]*\})/.exec(text)?.[1]
  let watermark = NO_WATERMARK
  try {
    watermark = readWatermark(folded === undefined ? undefined : JSON.parse(folded))
  } catch {
    // The header is what was damaged: without a watermark entries are applied again, which changes nothing.
  }
  const records = checked(
    file,
    objects.map((value) => ({ section: "", value })),
    problems,
  )
  return { format: FORMAT, watermark, untouched: false, records, problems, length: text.length }
}

function checked(
  file: SnapshotFile,
  candidates: { section: string; value: unknown }[],
  problems: Problem[],
): Snapshot["records"] {
  const sections: Record<string, Kind> = snapshotFiles[file]
  const byId = new Map<string, { kind: Kind; record: AnyRecord }>()
  for (const { section, value } of candidates) {
    const known = sections[section]
    const tried: Kind[] = known === undefined ? Object.values(sections) : [known]
    const found = tried.map((kind) => ({ kind, record: readRecord(kind, value) }))
    const good = found.flatMap(({ kind, record }) =>
      typeof record === "string" ? [] : [{ kind, record }],
    )[0]
    if (good === undefined) {
      const [first] = found
      const reason = typeof first?.record === "string" ? first.record : "unknown kind of record"
      const more = { kind: first?.kind ?? null, id: idOf(value), raw: JSON.stringify(value) }
      problems.push(quarantined("invalid_record", file, reason, more))
      continue
    }
    const { kind, record } = good
    const key = `${kind} ${record.id}`
    const before = byId.get(key)
    if (before === undefined || timeOf(record) >= timeOf(before.record)) {
      if (before !== undefined) problems.push(twice(file, before))
      byId.set(key, { kind, record })
    } else problems.push(twice(file, { kind, record }))
  }
  return [...byId.values()]
}

function twice(file: SnapshotFile, { kind, record }: { kind: Kind; record: AnyRecord }): Problem {
  const reason = "the same id is there twice; the newer one is in use"
  return quarantined("duplicate_record", file, reason, { kind, id: record.id, raw: JSON.stringify(record) })
}

function idOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null
  return typeof value.id === "string" ? value.id : null
}

function timeOf(record: AnyRecord): string {
  return "updated_at" in record ? record.updated_at : ""
}

function readWatermark(value: unknown): Watermark {
  const read = watermarkHeader.safeParse(value)
  if (!read.success) return NO_WATERMARK
  const { check, older, ...rest } = read.data
  const watermark: Watermark = { ...rest, ...(older !== undefined && { older }) }
  return check === headerCheck(watermark) ? watermark : NO_WATERMARK
}

function headerCheck({ segment, bytes, head, older }: Watermark): string {
  const more = older === undefined ? "" : ` ${JSON.stringify(older)}`
  return sumOf(`${segment} ${bytes} ${head}${more}`).slice(0, 8)
}

function sumOf(text: string): string {
  return createHash("sha1").update(text).digest("hex")
}

const watermarkHeader = z.object({
  segment: z.int(),
  bytes: z.int(),
  head: z.string().nullable(),
  older: z.array(z.tuple([z.int(), z.int()])).optional(),
  check: z.string(),
})
const HEADER_FIELDS = new Set(["format", "folded", "sum"])
const HEADER = /^\{\n(?:"format":(\d+),\n)?"folded":\{[^{}\n]*\},\n"sum":"([0-9a-f]{40})",\n/
