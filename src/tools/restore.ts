import { pathScope } from "../gate/scopes-and-locks.ts"
import type { Hive } from "../hive/hive.ts"
import { HiveError } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { hiveSnapshots } from "../snapshots/hive-snapshots.ts"
import { type SnapshotRecord, snapshotId } from "../snapshots/records.ts"
import {
  canRestore,
  restorePreview,
  snapshotCall,
  snapshotChanges,
  snapshotRows,
  timeAgo,
} from "../views/lists/snapshots.ts"
import { isOwnSnapshot, planRestore, requireOwnChange, restoreInHive } from "../work/restore/restore.ts"
import type { ToolCaller } from "./tool.ts"

export function listOwnSnapshots(hive: Hive, { session }: ToolCaller) {
  const { state } = hive.store.read()
  const isWanted = (record: SnapshotRecord) =>
    canRestore(record) && !record.isOverlapped && isOwnSnapshot(state, session, record)
  const rows = snapshotRows(hiveSnapshots(hive), state, { atMost: MAX_LISTED, isWanted })
  const now = hive.source.now()
  const snapshots = rows.map((row) => ({
    id: row.id,
    before: shorten(snapshotCall(row), MAX_CALL),
    when: timeAgo(row.at, now),
    what: snapshotChanges(row).join("; "),
  }))
  return { snapshots }
}

/** Restores files that a call of this session has changed. Only a person may restore other files. */
export async function restoreOwn(
  hive: Hive,
  caller: ToolCaller,
  { snapshot, paths = null }: { snapshot: string; paths?: string[] | null | undefined },
) {
  const snapshots = hiveSnapshots(hive)
  const plan = await planRestore(snapshots, snapshot, { paths })
  await requireOwnChange(hive.store.read().state, caller.session, plan, snapshots)
  const { write, created } = restorePreview(plan, snapshots)
  await requireScope(hive, caller, write)
  const { written, failed, undo } = await restoreInHive(hive, caller, plan)
  return {
    restored: written.length,
    files: write.slice(0, MAX_NAMES),
    ...(failed.length > 0 && { failed: failed.slice(0, MAX_NAMES) }),
    ...(created.length > 0 && { created_and_kept: created.slice(0, MAX_NAMES) }),
    ...(undo !== null && { undone_by: snapshotId(undo) }),
  }
}

async function requireScope(hive: Hive, { agent }: ToolCaller, files: readonly string[]): Promise<void> {
  const isInScope = await pathScope(hive.config.path_scopes)
  const path = files.find((each) => !isInScope(agent, each))
  if (path === undefined) return
  throw new HiveError({
    code: "scope",
    what: `${agent} may not write ${path}.`,
    why: "It is outside the paths of this role.",
    use_instead: "Name only paths of this role, or ask the user to restore it.",
    evidence: `path_scopes of ${agent}`,
  })
}

const MAX_LISTED = 5
const MAX_CALL = 60
const MAX_NAMES = 10
