import type { GraphState } from "../../graph/state.ts"
import { byteSize, counted } from "../../shared/amounts.ts"
import { duration } from "../../shared/time.ts"
import { type SnapshotRecord, snapshotId } from "../../snapshots/records.ts"
import type { Snapshots } from "../../snapshots/snapshots.ts"
import type { RestorePlan } from "../../work/restore/restore.ts"

export type SnapshotRow = ReturnType<typeof rowOf>
export type RestorePreview = ReturnType<typeof restorePreview>

/** Rows for snapshots, newest first. Titles of tasks come from `state`. */
export function snapshotRows(
  snapshots: Snapshots,
  state: GraphState | null,
  { atMost = MAX_ROWS, isWanted = (_: SnapshotRecord): boolean => true } = {},
): SnapshotRow[] {
  const rows: SnapshotRow[] = []
  for (const record of snapshots.list()) {
    if (!isWanted(record)) continue
    rows.push(rowOf(record, snapshots, state))
    if (rows.length === atMost) break
  }
  return rows
}

export function canRestore({ counts }: Pick<SnapshotRecord, "counts">): boolean {
  return counts.changed + counts.deleted + counts.refs > 0
}

export function restorePreview(plan: RestorePlan, snapshots: Snapshots) {
  const { record, files, repository } = plan
  const name = (path: string) => snapshots.projectPath(path) ?? path
  return {
    id: snapshotId(record),
    write: files.write.map(({ path }) => name(path)),
    conflicts: files.conflicts.map(({ path, why }) => ({ path: name(path), why })),
    created: files.created.map(name),
    refs: (repository?.refs ?? []).map((ref) => ({ name: ref.name, commit: ref.oid })),
    stashes: repository?.stashes.length ?? 0,
    staged: repository?.staged.length ?? 0,
    notes: repository?.notes ?? [],
  }
}

export function snapshotCall({ tool, command }: Pick<SnapshotRow, "tool" | "command">): string {
  return command ?? tool
}

/** Phrases such as `deleted 2 files: a, b` and `changed 1 file: c`. */
export function snapshotChanges(row: SnapshotRow, names = MAX_NAMES): string[] {
  const { changed, created, deleted, refs, files, deleted_files, hasEnded } = row
  const written = [
    ...(changed > 0 ? [`changed ${counted(changed, "file")}`] : []),
    ...(created > 0 ? [`created ${counted(created, "file")}`] : []),
  ]
  return [
    ...(hasEnded ? [] : ["no end recorded: the call still runs, or its process was killed"]),
    ...(deleted > 0 ? [`deleted ${counted(deleted, "file")}${someOf(deleted_files, deleted, names)}`] : []),
    ...(written.length > 0 ? [`${written.join(", ")}${someOf(files, changed + created, names)}`] : []),
    ...(refs > 0
      ? [`moved or removed ${counted(refs, "branch, tag or stash", "branches, tags or stashes")}`]
      : []),
    ...(row.not_restorable.length > 0
      ? [`changed or deleted, too large to be restored: ${row.not_restorable.slice(0, names).join(", ")}`]
      : []),
  ]
}

export function timeAgo(at: string, now: number): string {
  const ms = now - Date.parse(at)
  return ms < 1000 ? "just now" : `${duration(ms)} ago`
}

function someOf(names: readonly string[], total: number, atMost: number): string {
  const some = names.slice(0, atMost)
  if (some.length === 0) return ""
  return `: ${some.join(", ")}${total > some.length ? ", …" : ""}`
}

function rowOf(record: SnapshotRecord, snapshots: Snapshots, state: GraphState | null) {
  const { at, tool, command, session, counts, isOverlapped } = record
  const name = (path: string) => snapshots.projectPath(path) ?? path
  const task = record.task === null ? undefined : state?.task.get(record.task)
  return {
    id: snapshotId(record),
    ...{ at, tool, command, session, isOverlapped, hasEnded: record.after !== null },
    task: task === undefined ? null : { id: task.id, title: task.title },
    ...counts,
    // `files` are changed or created. Both lists are samples.
    files: record.files.map(name),
    deleted_files: record.deleted.map(name),
    // Changed or deleted files that were too large for the snapshot, such as `big.iso (5 GB)`.
    not_restorable: record.notRestorable.map(({ path, bytes }) => `${name(path)} (${byteSize(bytes)})`),
  }
}

const MAX_ROWS = 2000
const MAX_NAMES = 3
