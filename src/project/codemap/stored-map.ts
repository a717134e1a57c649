import * as z from "zod"
import { type MappedFile, mappedFile } from "../../schemas/codemap.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { FileBefore } from "./changes.ts"

/** What is read back of a code map. */
export interface StoredMap {
  files: Map<string, MappedFile>
  before: Map<string, FileBefore>
  scannedAt: number | null
}

/** A head, a line for each file, and one for each that has changed since the last scan, as it was then. */
export function* storedLines(map: {
  files: ReadonlyMap<string, MappedFile>
  before: ReadonlyMap<string, FileBefore>
  scannedAt: number | null
}): Generator<object, void, void> {
  yield { format: FORMAT, scanned_at: map.scannedAt }
  yield* map.files.values()
  for (const [path, was] of map.before) yield { before: path, was }
}

/** Undefined for one of another format: it is made anew. A line that is not as it should be is read anew as well. */
export async function readStored(lines: unknown[] | undefined): Promise<StoredMap | undefined> {
  const [head, ...rest] = lines ?? []
  const known = headLine.safeParse(head).data
  return known === undefined ? undefined : runInSlices(readLines(rest, known.scanned_at))
}

function* readLines(lines: readonly unknown[], scannedAt: number | null): Pausing<StoredMap> {
  const stored: StoredMap = { files: new Map(), before: new Map(), scannedAt }
  for (const line of lines) {
    yield
    const file = mappedFile.safeParse(line).data
    const earlier = file === undefined ? beforeLine.safeParse(line).data : undefined
    if (file !== undefined) stored.files.set(file.path, file)
    else if (earlier !== undefined) stored.before.set(earlier.before, earlier.was)
  }
  return stored
}

// Raised with everything that makes what was read from a file another.
const FORMAT = 4
const headLine = z.object({ format: z.literal(FORMAT), scanned_at: z.number().nullable() })
const beforeLine = z.object({ before: z.string(), was: mappedFile.nullable() })
