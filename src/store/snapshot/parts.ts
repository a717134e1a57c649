import { type Kind, sectionNames } from "../../schemas/records.ts"
import { statSync } from "../files/hive-fs.ts"
import { sixDigits } from "../log/segments.ts"

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
export function partName({ kind, number }: Part, through: number, token: string): string {
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
