import * as z from "zod"
import { writeAtomic } from "./files/atomic-write.ts"
import { readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"

/**
 * How far syncing has come, so that the next one looks at what is new only. It lies beside the log, so whoever sets the
 * hive back to an older copy sets it back too. Where it is lost or does not fit, all of the log is looked at once.
 */
const syncMark = z.strictObject({
  /** Under whose name. */
  clone: z.string(),
  /** An entry of the log: what this clone had written up to there is in the repository. Null for one with no entries. */
  entry: z.string().nullable(),
  /** The last of those; null where it had written none. */
  own: z.string().nullable(),
  /** The commit of the repository's log whose entries are all merged. */
  merged: z.string().nullable(),
})
export type SyncMark = z.infer<typeof syncMark>

export function readSyncMark(paths: HivePaths): SyncMark | undefined {
  try {
    return syncMark.safeParse(JSON.parse(readFileSync(paths.syncMark, "utf8"))).data
  } catch {
    return undefined // None yet, or a crash has torn it.
  }
}

export function writeSyncMark(paths: HivePaths, mark: SyncMark): void {
  writeAtomic(paths.syncMark, `${JSON.stringify(mark)}\n`)
}
