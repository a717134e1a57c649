import { type Problem, quarantined } from "../../graph/problem.ts"
import { firstIssue } from "../../schemas/first-issue.ts"
import { type AnyRecord, type Kind, recordSchemas, sectionNames } from "../../schemas/records.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { failureReason } from "../../shared/system-error.ts"
import { MERGE_MARKERS, mergeMarkerLine } from "../../shared/text/json-fault.ts"
import { salvage } from "./salvage.ts"

/** What a part's file holds, whatever was done to it. */
export interface PartContent {
  records: AnyRecord[]
  problems: Problem[]
  /** Something in it could not be read: what is missing from it was not taken out by anybody. */
  isBroken: boolean
}

/** One record per line: it can be grepped and edited, and damage stays within a line. */
export function renderPart(kind: Kind, records: readonly AnyRecord[]): string {
  return `{"${sectionNames[kind]}":[\n${records.map((record) => JSON.stringify(record)).join(",\n")}\n]}\n`
}

/** Reads the bytes that a fold wrote, which their checksum shows: their records need no second check. */
export function readPart(kind: Kind, bytes: Buffer): AnyRecord[] {
  return (JSON.parse(bytes.toString("utf8")) as Record<string, AnyRecord[]>)[sectionNames[kind]] ?? []
}

/**
 * Reads a part that somebody has changed: every record is checked, and masked, because the log will tell of it and is
 * shared. Never throws.
 */
export function readEditedPart(file: string, kind: Kind, bytes: Buffer): PartContent {
  const text = decode(bytes)
  const problems: Problem[] = []
  const note = (code: Problem["code"], reason: string, raw: string | null, id: string | null = null) =>
    problems.push(quarantined(code, file, reason, { kind, id, raw }))
  let values: readonly unknown[]
  const listed = text === undefined ? undefined : listIn(kind, text)
  if (listed !== undefined) values = listed
  else {
    const { objects, lost } = salvage(text ?? bytes.toString("utf8"))
    const markers = text === undefined ? undefined : mergeMarkerLine(text)
    const what = markers === undefined ? "the file is not valid JSON" : `line ${markers}: ${MERGE_MARKERS}`
    note("broken_file", `${what}; what could be read of it is in use`, null)
    for (const raw of lost)
      note("broken_part", MARKER.test(raw) ? "a merge marker of git's" : "this part is not valid JSON", raw)
    values = objects
  }
  const byId = new Map<string, AnyRecord>()
  for (const value of values) {
    const parsed = recordSchemas[kind].safeParse(maskAll(value))
    if (!parsed.success) {
      note("invalid_record", firstIssue(parsed.error), stringify(value), idOf(value))
      continue
    }
    const before = byId.get(parsed.data.id)
    const isNewer = before === undefined || timeOf(parsed.data) >= timeOf(before)
    const older = isNewer ? before : parsed.data
    if (older !== undefined)
      note(
        "duplicate_record",
        "the same id stands twice; the newer one is in use",
        stringify(older),
        older.id,
      )
    if (isNewer) byId.set(parsed.data.id, parsed.data)
  }
  return {
    records: [...byId.values()],
    problems,
    isBroken: problems.some(({ code }) => code !== "duplicate_record"),
  }
}

export function missingPart(file: string): Problem {
  return quarantined("missing_file", file, "the file is gone; what it held is taken from the log")
}

export function unreadablePart(file: string, error: unknown): Problem {
  const reason = `the file cannot be read (${failureReason(error)}); nothing is put in its place`
  return quarantined("unreadable", file, reason)
}

function listIn(kind: Kind, text: string): readonly unknown[] | undefined {
  try {
    const list = (JSON.parse(text) as Record<string, unknown> | null)?.[sectionNames[kind]]
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined // Salvaged by the caller.
  }
}

/** Undefined where it is not UTF-8: then some character is not what was written. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, MAX_RAW_CHARS)
  } catch {
    return "" // Nested too deep to be written again.
  }
}

function idOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null
  return typeof value.id === "string" ? value.id : null
}

function timeOf(record: AnyRecord): string {
  return "updated_at" in record ? record.updated_at : ""
}

const MARKER = /^\s*(<{7}|={7}|>{7})/
const MAX_RAW_CHARS = 10_000
