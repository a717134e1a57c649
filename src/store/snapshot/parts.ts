import { join } from "node:path"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { tryParse } from "../../schemas/checked.ts"
import { type AnyRecord, type Kind, recordSchemas, sectionNames } from "../../schemas/records.ts"
import { fileVersion } from "../../shared/lenient-files.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { explainSystemError, failureReason } from "../../shared/system-error.ts"
import { isMissing, mkdirSync, readFileSync } from "../files/hive-fs.ts"
import { parseJson } from "../files/json-lines.ts"
import { syncFolderAsync, writeNewFile } from "../files/write-file.ts"
import { sixDigits } from "../log/segments.ts"
import { checksum } from "./manifest.ts"

/** Knows which part contains which record. A changed record stays in its part; new ones go to the last part. */
export function createParts() {
  const parts = new Map<Kind, Part[]>()
  const partOf = new Map<string, Part>()

  const ofKind = (kind: Kind): Part[] => {
    const list = parts.get(kind) ?? []
    parts.set(kind, list)
    return list
  }

  return {
    *all(): Generator<Part> {
      for (const list of parts.values()) yield* list
    },
    add(part: Part): void {
      ofKind(part.kind).push(part)
      for (const id of part.ids) partOf.set(keyOf(part.kind, id), part)
    },
    find: (kind: Kind, id: string): Part | undefined => partOf.get(keyOf(kind, id)),
    placeOf(kind: Kind, id: string): Part {
      const known = partOf.get(keyOf(kind, id))
      if (known !== undefined) return known
      const list = ofKind(kind)
      let last = list.at(-1)
      if (last === undefined || last.ids.size >= RECORDS_PER_PART || last.state === "unreadable") {
        last = newPart(kind, (last?.number ?? 0) + 1)
        list.push(last)
      }
      last.ids.add(id)
      if (!last.removed.delete(id)) last.added.add(id)
      partOf.set(keyOf(kind, id), last)
      return last
    },
    remove(kind: Kind, id: string): Part | undefined {
      const part = partOf.get(keyOf(kind, id))
      if (part === undefined) return undefined
      part.ids.delete(id)
      if (!part.added.delete(id)) part.removed.add(id)
      partOf.delete(keyOf(kind, id))
      return part
    },
    drop(part: Part): void {
      const list = ofKind(part.kind)
      const at = list.indexOf(part)
      if (at >= 0) list.splice(at, 1)
    },
  }
}

export type Part = ReturnType<typeof newPart>

/** `file` is empty until the part is first written. */
export function newPart(kind: Kind, number: number, file = "", sum = "") {
  return {
    kind,
    number,
    file,
    sum,
    ids: new Set<string>(),
    /** Ids of records that were added or removed since the file was written. */
    added: new Set<string>(),
    removed: new Set<string>(),
    /** The file's `fileVersion` when it was last read or written. */
    version: "",
    /** `damaged`: the file was changed or is gone. `unreadable`: it cannot be opened, so it must not be replaced. */
    state: "as written" as "as written" | "damaged" | "unreadable",
  }
}

/** Returns the part with the records that its file has, without later changes. */
export function asWritten(part: Part): Part {
  if (part.added.size === 0 && part.removed.size === 0) return part
  const ids = new Set([...part.ids].filter((id) => !part.added.has(id)))
  for (const id of part.removed) ids.add(id)
  return { ...part, ids, added: new Set(), removed: new Set() }
}

/** The token is random, so two folds never choose the same name, even at the same time. */
function partName({ kind, number }: Part, through: number, token: string): string {
  return `${sectionNames[kind]}.${String(number).padStart(4, "0")}.${sixDigits(through)}-${token}.json`
}

export function isUnwritten({ file, state }: Part): boolean {
  return file === "" || state !== "as written"
}

function keyOf(kind: Kind, id: string): string {
  return `${kind} ${id}`
}

// Few enough to be written in a few milliseconds, and many enough to keep the manifest short.
const RECORDS_PER_PART = 200

/** Renders one record per line, so that damage affects only that line. */
export function renderPart(kind: Kind, records: readonly AnyRecord[]): string {
  return `{"${sectionNames[kind]}":[\n${records.map((record) => JSON.stringify(record)).join(",\n")}\n]}\n`
}

/** Does not validate the records: the checksum shows that HiveMind wrote these bytes. */
function readPart(kind: Kind, bytes: Buffer): AnyRecord[] {
  return (JSON.parse(bytes.toString("utf8")) as Record<string, AnyRecord[]>)[sectionNames[kind]] ?? []
}

function salvagedRecords(kind: Kind, bytes: Buffer): AnyRecord[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line) => tryParse(recordSchemas[kind], maskAll(parseJson(line.replace(/,$/, "")))).data ?? [])
}

/** Reads a part's file and sets the part's state. Of a damaged file, returns the readable records. Never throws. */
export function readPartFile(part: Part, path: string): { records: AnyRecord[]; problem?: Problem } {
  const problem = (code: Problem["code"], reason: string) =>
    quarantined(code, `graph/parts/${part.file}`, reason)
  part.version = fileVersion(path)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    part.state = isMissing(error) ? "damaged" : "unreadable"
    if (isMissing(error))
      return {
        records: [],
        problem: problem(
          "missing_file",
          "the file is missing; HiveMind reads its records from the log instead",
        ),
      }
    const reason = `the file cannot be read (${failureReason(error)}); HiveMind does not replace it`
    return { records: [], problem: problem("unreadable", reason) }
  }
  if (checksum(bytes) === part.sum) {
    part.state = "as written"
    return { records: readPart(part.kind, bytes) }
  }
  part.state = "damaged"
  const reason =
    "the file was changed after HiveMind wrote it; HiveMind reads its records from the log instead"
  return { records: salvagedRecords(part.kind, bytes), problem: problem("broken_file", reason) }
}

export interface WrittenPart {
  file: string
  sum: string
}

/** Writes changed parts into new files, which are in use once a manifest names them. */
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
