import * as z from "zod"
import { tryParse } from "../schemas/checked.ts"
import type { Source } from "../shared/ids.ts"
import { existsSync, rmSync } from "./files/hive-fs.ts"
import { readJson } from "./files/json-lines.ts"
import type { HivePaths } from "./files/layout.ts"
import { createAtomic, writeAtomic } from "./files/write-file.ts"

/** Returns this clone's name, or chooses one. Every entry has its clone's name, so that clones can be merged. */
export function cloneName(paths: HivePaths, source: Source, wanted?: string): string {
  if (!existsSync(paths.clone)) {
    const name = wanted ?? source.newId().slice(0, 8)
    createAtomic(paths.clone, `${JSON.stringify({ name })}\n`)
  }
  // If the name's file is damaged, this process uses a new name.
  return readCloneName(paths) ?? source.newId().slice(0, 8)
}

export function readCloneName(paths: HivePaths): string | undefined {
  const read = readJson(paths.clone) as { name?: unknown } | null | undefined
  return typeof read?.name === "string" && /^\w{1,40}$/.test(read.name) ? read.name : undefined
}

export function renewCloneName(paths: HivePaths, source: Source, wanted?: string): string {
  rmSync(paths.clone, { force: true })
  return cloneName(paths, source, wanted)
}

/** How far this hive is synced. The mark is a file of the hive, so an old copy of the hive has an old mark. */
const syncMark = z.strictObject({
  clone: z.string(),
  /** This clone's last log entry at the last sync, brought ones included; null for an empty log. */
  entry: z.string().nullable(),
  /** The last entry that this clone itself wrote and synced; null if there is none. */
  own: z.string().nullable(),
  /** The commit of the shared log up to which that log was merged into this hive. */
  merged: z.string().nullable(),
})
export type SyncMark = z.infer<typeof syncMark>

export function readSyncMark(paths: HivePaths): SyncMark | undefined {
  return tryParse(syncMark, readJson(paths.syncMark)).data
}

export function writeSyncMark(paths: HivePaths, mark: SyncMark): void {
  writeAtomic(paths.syncMark, `${JSON.stringify(mark)}\n`)
}
