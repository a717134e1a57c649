import { join } from "node:path"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { tryParse } from "../../schemas/checked.ts"
import { type AnyRecord, type Kind, recordSchemas, sectionNames } from "../../schemas/records.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { explainSystemError, failureReason } from "../../shared/system-error.ts"
import { isMissing, mkdirSync, readFileSync } from "../files/hive-fs.ts"
import { parseJson } from "../files/json-lines.ts"
import { syncFolderAsync, writeNewFile } from "../files/write-file.ts"
import { checksum } from "./manifest.ts"
import { type Part, partName, signatureOf } from "./parts.ts"

/** One record per line: it can be grepped and edited, and damage stays within a line. */
export function renderPart(kind: Kind, records: readonly AnyRecord[]): string {
  return `{"${sectionNames[kind]}":[\n${records.map((record) => JSON.stringify(record)).join(",\n")}\n]}\n`
}

/** Reads bytes that a fold wrote, as their checksum shows: their records were validated before. */
function readPart(kind: Kind, bytes: Buffer): AnyRecord[] {
  return (JSON.parse(bytes.toString("utf8")) as Record<string, AnyRecord[]>)[sectionNames[kind]] ?? []
}

/** The records of a damaged part that can still be read: damage stays within a line. */
function salvagedRecords(kind: Kind, bytes: Buffer): AnyRecord[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line) => tryParse(recordSchemas[kind], maskAll(parseJson(line.replace(/,$/, "")))).data ?? [])
}

/** Reads the file of a part in any condition and notes its state in the part. Never throws. */
export function readPartFile(part: Part, path: string): { records: AnyRecord[]; problem?: Problem } {
  const problem = (code: Problem["code"], reason: string) =>
    quarantined(code, `graph/parts/${part.file}`, reason)
  part.signature = signatureOf(path)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    part.state = isMissing(error) ? "damaged" : "unreadable"
    if (isMissing(error))
      return {
        records: [],
        problem: problem("missing_file", "the file is gone; its records are taken from the log"),
      }
    const reason = `the file cannot be read (${failureReason(error)}); nothing is put in its place`
    return { records: [], problem: problem("unreadable", reason) }
  }
  if (checksum(bytes) === part.sum) {
    part.state = "as written"
    return { records: readPart(part.kind, bytes) }
  }
  part.state = "damaged"
  const reason = "the file was changed since HiveMind wrote it; its records are taken from the log"
  return { records: salvagedRecords(part.kind, bytes), problem: problem("broken_file", reason) }
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
