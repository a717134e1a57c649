import { join } from "node:path"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { firstIssue, tryParse } from "../../schemas/checked.ts"
import { type AnyRecord, type Kind, recordSchemas, sectionNames } from "../../schemas/records.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { explainSystemError, failureReason } from "../../shared/system-error.ts"
import { MERGE_MARKERS, mergeMarkerLine } from "../../shared/text/json-fault.ts"
import { isMissing, mkdirSync, readFileSync } from "../files/hive-fs.ts"
import { parseJson } from "../files/json-lines.ts"
import { syncFolderAsync, writeNewFile } from "../files/write-file.ts"
import { checksum } from "./manifest.ts"
import { type Part, partName, signatureOf } from "./parts.ts"
import { salvage } from "./salvage.ts"

/** The content of a part's file that was edited by hand. */
interface PartContent {
  records: AnyRecord[]
  problems: Problem[]
  /** Some of it could not be read: a record that is missing from it was not removed on purpose. */
  isBroken: boolean
}

/** One record per line: it can be grepped and edited, and damage stays within a line. */
export function renderPart(kind: Kind, records: readonly AnyRecord[]): string {
  return `{"${sectionNames[kind]}":[\n${records.map((record) => JSON.stringify(record)).join(",\n")}\n]}\n`
}

/** Reads bytes that a fold wrote, as their checksum shows: their records were validated before. */
function readPart(kind: Kind, bytes: Buffer): AnyRecord[] {
  return (JSON.parse(bytes.toString("utf8")) as Record<string, AnyRecord[]>)[sectionNames[kind]] ?? []
}

/** Reads a part that was edited by hand. Every record is validated, and masked, because the shared log gets it. Never throws. */
function readEditedPart(file: string, kind: Kind, bytes: Buffer): PartContent {
  const text = decode(bytes)
  const problems: Problem[] = []
  const note = (code: Problem["code"], reason: string, raw: string | null, id: string | null = null) =>
    problems.push(quarantined(code, file, reason, { kind, id, raw }))
  let values = text === undefined ? undefined : listIn(kind, text)
  if (values === undefined) {
    const { objects, lost } = salvage(text ?? bytes.toString("utf8"))
    const markers = text === undefined ? undefined : mergeMarkerLine(text)
    const what = markers === undefined ? "the file is not valid JSON" : `line ${markers}: ${MERGE_MARKERS}`
    note("broken_file", `${what}; its readable parts are in use`, null)
    for (const raw of lost)
      note("broken_part", MARKER.test(raw) ? "a merge marker of git's" : "this part is not valid JSON", raw)
    values = objects
  }
  const byId = new Map<string, AnyRecord>()
  for (const value of values) {
    const parsed = tryParse(recordSchemas[kind], maskAll(value))
    if (!parsed.success) {
      note("invalid_record", firstIssue(parsed.error), stringify(value), idOf(value))
      continue
    }
    const before = byId.get(parsed.data.id)
    const isNewer = before === undefined || timeOf(parsed.data) >= timeOf(before)
    const older = isNewer ? before : parsed.data
    if (older !== undefined) note("duplicate_record", DUPLICATE, stringify(older), older.id)
    if (isNewer) byId.set(parsed.data.id, parsed.data)
  }
  const isBroken = problems.some(({ code }) => code !== "duplicate_record")
  return { records: [...byId.values()], problems, isBroken }
}

/** Reads the file of a part in any condition and notes its state in the part. Never throws. */
export function readPartFile(part: Part, path: string): Pick<PartContent, "records" | "problems"> {
  const file = `graph/parts/${part.file}`
  part.signature = signatureOf(path)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const isGone = isMissing(error)
    part.state = isGone ? "broken" : "unreadable"
    const problem = isGone
      ? quarantined("missing_file", file, "the file is gone; its records are taken from the log")
      : quarantined(
          "unreadable",
          file,
          `the file cannot be read (${failureReason(error)}); nothing is put in its place`,
        )
    return { records: [], problems: [problem] }
  }
  if (checksum(bytes) === part.sum) {
    part.state = "as written"
    return { records: readPart(part.kind, bytes), problems: [] }
  }
  const content = readEditedPart(file, part.kind, bytes)
  part.state = content.isBroken ? "broken" : "edited"
  return content
}

function listIn(kind: Kind, text: string): readonly unknown[] | undefined {
  const list = (parseJson(text) as Record<string, unknown> | null | undefined)?.[sectionNames[kind]]
  return Array.isArray(list) ? list : undefined
}

/** Undefined for bytes that are not UTF-8. */
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
    return "" // Nested too deeply.
  }
}

function idOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null
  return typeof value.id === "string" ? value.id : null
}

function timeOf(record: AnyRecord): string {
  return "updated_at" in record ? record.updated_at : ""
}

export interface WrittenPart {
  /** "" for a part that has become empty. */
  file: string
  sum: string
}

/** Writes parts as new files. They are in use once a manifest names them. */
export async function writeParts(
  folder: string,
  dirty: ReadonlyMap<Part, readonly AnyRecord[]>,
  through: number,
  token: string,
): Promise<Map<Part, WrittenPart>> {
  const written = new Map<Part, WrittenPart>()
  try {
    mkdirSync(folder)
  } catch (error) {
    throw explainSystemError(error, "write the parts of the graph", folder)
  }
  for (const [part, records] of dirty) {
    if (records.length === 0) {
      written.set(part, { file: "", sum: "" })
      continue
    }
    const file = partName(part, through, token)
    const text = renderPart(part.kind, records)
    const path = join(folder, file)
    await writeNewFile(path, text).catch((error: unknown) => {
      throw explainSystemError(error, "write a part of the graph", path)
    })
    written.set(part, { file, sum: checksum(text) })
  }
  await syncFolderAsync(folder)
  return written
}

const DUPLICATE = "the same id stands twice; the newer one is in use"
const MARKER = /^\s*(<{7}|={7}|>{7})/
const MAX_RAW_CHARS = 10_000
