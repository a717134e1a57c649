import { join } from "node:path"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { tryParse } from "../../schemas/checked.ts"
import { type AnyRecord, type Kind, recordSchemas, sectionNames } from "../../schemas/records.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { explainSystemError, failureReason } from "../../shared/system-error.ts"
import { isMissing, mkdirSync, readFileSync, statSync } from "../files/hive-fs.ts"
import { parseJson } from "../files/json-lines.ts"
import { syncFolderAsync, writeNewFile } from "../files/write-file.ts"
import { sixDigits } from "../log/segments.ts"
import { checksum } from "./manifest.ts"

/** A file with some records of one kind. */
export interface Part {
  kind: Kind
  number: number
  /** File name; "" before it is first written. */
  file: string
  /** Checksum of its bytes, as a fold wrote them. */
  sum: string
  ids: Set<string>
  /** Ids that came and went since the file was written. */
  added: Set<string>
  removed: Set<string>
  /** Inode, size and time when the file was last read. */
  signature: string
  /** `damaged`: changed or gone. `unreadable`: the file cannot be opened, so nothing may be put in its place. */
  state: "as written" | "damaged" | "unreadable"
}

/** Knows which record is in which part. A record stays in its part; new ones fill the last part of their kind. */
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
    /** The part of a record; puts a new record into one. */
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

export type Parts = ReturnType<typeof createParts>

function newPart(kind: Kind, number: number): Part {
  return { ...namedPart(kind, "", ""), number, signature: "" }
}

/** A part of that name, before its file was read. */
export function namedPart(kind: Kind, file: string, sum: string): Part {
  return {
    kind,
    number: numberOf(file),
    file,
    sum,
    ids: new Set(),
    added: new Set(),
    removed: new Set(),
    signature: "",
    state: "as written",
  }
}

/** The part as its file is: without the ids that came since, and with those that went. */
export function asWritten(part: Part): Part {
  if (part.added.size === 0 && part.removed.size === 0) return part
  const ids = new Set([...part.ids].filter((id) => !part.added.has(id)))
  for (const id of part.removed) ids.add(id)
  return { ...part, ids, added: new Set(), removed: new Set() }
}

/** The name says which fold wrote it: no two folds write the same file, not even two at once. */
function partName({ kind, number }: Part, through: number, token: string): string {
  return `${sectionNames[kind]}.${String(number).padStart(4, "0")}.${sixDigits(through)}-${token}.json`
}

/** True if a fold has to write it. */
export function isUnwritten({ file, state }: Part): boolean {
  return file === "" || state !== "as written"
}

function numberOf(name: string): number {
  return Number(name.split(".")[1])
}

export function signatureOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.ino}:${stat.size}:${stat.mtimeMs}`
}

function keyOf(kind: Kind, id: string): string {
  return `${kind} ${id}`
}

// Small enough to be written in a few milliseconds, large enough that a manifest of all stays short.
const RECORDS_PER_PART = 200

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
