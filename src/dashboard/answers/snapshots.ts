import type { Hive } from "../../hive/hive.ts"
import { isGitInstalled } from "../../project/git/run-git.ts"
import { shorten } from "../../shared/text/clean.ts"
import { hiveSnapshots } from "../../snapshots/hive-snapshots.ts"
import {
  canRestore,
  restorePreview,
  type SnapshotRow,
  snapshotCall,
  snapshotChanges,
  snapshotRows,
} from "../../views/look/snapshots.ts"
import { planRestore } from "../../work/restore/restore.ts"
import type { HealthView, RestoreView, TimelineItem } from "./model.ts"

/**
 * Calls that can be undone, the newest first. In the story stand those of commands and those that took something away: an
 * edit is told by its checkpoint. `isWhole` adds the others.
 */
export function snapshotItems(hive: Hive, { isWhole }: { isWhole: boolean }): TimelineItem[] {
  const rows = snapshotRows(hiveSnapshots(hive), hive.store.read().state, {
    atMost: MAX_ITEMS,
    isWanted: (record) =>
      canRestore(record) &&
      (isWhole || record.command !== null || record.counts.deleted + record.counts.refs > 0),
  })
  return rows.map(itemOf)
}

/** The preview of a restore for the page, with the options that the form offers. */
export async function restoreAnswer(hive: Hive, id: string): Promise<RestoreView> {
  const snapshots = hiveSnapshots(hive)
  const preview = restorePreview(await planRestore(snapshots, id, { refs: true }), snapshots)
  const { write, conflicts, created } = preview
  return {
    ...preview,
    write: write.slice(0, MAX_NAMES),
    conflicts: conflicts.slice(0, MAX_NAMES),
    created: created.slice(0, MAX_NAMES),
    refs: preview.refs.slice(0, MAX_NAMES),
    total: { write: write.length, conflicts: conflicts.length, created: created.length },
  }
}

export async function snapshotHealth(hive: Hive): Promise<HealthView["snapshots"]> {
  const { enabled, keep_days, max_mb } = hive.config.snapshots
  const { snapshots: count, bytes, oldest } = await hiveSnapshots(hive).size()
  const limits = { keepDays: keep_days, maxMb: max_mb }
  return { isOn: enabled, canTake: await isGitInstalled(), count, bytes, oldest, ...limits }
}

function itemOf(row: SnapshotRow): TimelineItem {
  const changes = snapshotChanges(row, MAX_CHANGED_NAMES)
  const what = snapshotChanges(row).join("; ")
  return {
    kind: "snapshot",
    text: `${what.charAt(0).toUpperCase()}${what.slice(1)} (${shorten(snapshotCall(row), MAX_CALL)})`,
    ...{ id: row.id, short: row.id, at: row.at, tool: row.tool, session: row.session, agent: null },
    changes: row.command === null ? changes : [row.command, ...changes],
    ...{ lost: [], undoneBy: null, undoes: null, from: null, refusal: null },
  }
}

const MAX_ITEMS = 300
const MAX_NAMES = 50
const MAX_CHANGED_NAMES = 20
const MAX_CALL = 80
