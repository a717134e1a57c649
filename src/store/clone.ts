import * as z from "zod"
import { tryParse } from "../schemas/checked.ts"
import type { Source } from "../shared/ids.ts"
import { existsSync, rmSync } from "./files/hive-fs.ts"
import { readJson } from "./files/json-lines.ts"
import type { HivePaths } from "./files/layout.ts"
import { createAtomic, writeAtomic } from "./files/write-file.ts"

/** The name under which this clone writes. Its entries carry it, so that entries of several clones can be merged. */
export function cloneName(paths: HivePaths, source: Source): string {
  if (!existsSync(paths.clone))
    createAtomic(paths.clone, `${JSON.stringify({ name: source.newId().slice(0, 8) })}\n`)
  // If the file is damaged or out of reach, a name for this process alone is good enough.
  return readCloneName(paths) ?? source.newId().slice(0, 8)
}

/** Undefined if there is none that can be read. */
export function readCloneName(paths: HivePaths): string | undefined {
  const read = readJson(paths.clone) as { name?: unknown } | null | undefined
  return typeof read?.name === "string" && /^\w{1,40}$/.test(read.name) ? read.name : undefined
}

/** For a clone whose name another one uses, too. */
export function renewCloneName(paths: HivePaths, source: Source): string {
  rmSync(paths.clone, { force: true })
  return cloneName(paths, source)
}

/**
 * How far syncing has come, so that the next one reads only new entries. It lies beside the log, so a hive that is set
 * back to an older copy has an older mark, too. If it is lost or does not fit, the whole log is read once.
 */
const syncMark = z.strictObject({
  /** The clone's name. */
  clone: z.string(),
  /** An entry of the log: all that this clone wrote up to it is in the repository. Null for a log without entries. */
  entry: z.string().nullable(),
  /** The last entry of this clone among those; null if there is none. */
  own: z.string().nullable(),
  /** The commit of the repository's log whose entries are all merged. */
  merged: z.string().nullable(),
})
export type SyncMark = z.infer<typeof syncMark>

export function readSyncMark(paths: HivePaths): SyncMark | undefined {
  return tryParse(syncMark, readJson(paths.syncMark)).data
}

export function writeSyncMark(paths: HivePaths, mark: SyncMark): void {
  writeAtomic(paths.syncMark, `${JSON.stringify(mark)}\n`)
}
