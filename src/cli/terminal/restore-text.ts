import { byteSize, counted } from "../../shared/amounts.ts"
import { oneLine, shorten } from "../../shared/text/clean.ts"
import { snapshotId } from "../../snapshots/records.ts"
import {
  type RestorePreview,
  type SnapshotRow,
  snapshotCall,
  snapshotChanges,
  timeAgo,
} from "../../views/look/snapshots.ts"
import type { Restored, RestorePlan } from "../../work/restore/restore-snapshot.ts"
import type { Style } from "./style.ts"

/** A snapshot in the list. */
export function snapshotLines(row: SnapshotRow, now: number, style: Style): string[] {
  const isNamed = row.command === null || row.command.startsWith(row.tool)
  const call = isNamed ? snapshotCall(row) : `${row.tool}: ${row.command}`
  const task = row.task === null ? "" : `  (${shorten(oneLine(row.task.title), 60)})`
  const changes = snapshotChanges(row)
  return [
    `${style("cyan", row.id)}  ${style("dim", timeAgo(row.at, now))}  ${shorten(oneLine(call), 100)}${task}`,
    ...changes.map(
      (line) => `    ${line.startsWith("deleted") ? style("red", oneLine(line)) : oneLine(line)}`,
    ),
    ...(row.isOverlapped ? [style("dim", "    other calls ran at the same time")] : []),
  ]
}

/** The preview of a restore: files to be written, conflicts, refs. */
export function planText(
  preview: RestorePreview,
  { record }: RestorePlan,
  { force, refs, now }: { force: boolean; refs: boolean; now: number },
): string[] {
  const { id, write, conflicts, created, stashes, staged, notes } = preview
  const call = shorten(oneLine(snapshotCall(record)), 80)
  const head = `${id}: as it was before \`${call}\`, ${timeAgo(record.at, now)}`
  return [
    head,
    ...section(`To be written: ${counted(write.length, "file")}`, write),
    ...section(
      force
        ? `Changed since, to be overwritten: ${counted(conflicts.length, "file")}`
        : `Kept, ${counted(conflicts.length, "file")}. \`--force\` overwrites them; the restore can be undone:`,
      conflicts.map(({ path, why }) => `${path}: ${why}`),
    ),
    ...section(
      `Created by the call, not deleted: ${counted(created.length, "file")}. Delete them yourself if you do not want them:`,
      created,
    ),
    ...section(
      "Branches and tags to be set:",
      preview.refs.map(({ name, commit }) => `${name} to ${commit.slice(0, 10)}`),
    ),
    ...(stashes > 0 ? [`Stashes to be stored again: ${stashes}`] : []),
    ...(staged > 0 ? [`Staged again: ${counted(staged, "file")}`] : []),
    ...section(
      "Too large to be kept, so not restored:",
      record.notRestorable.map(
        ({ path, bytes, isDeleted }) => `${path} (${byteSize(bytes)}, ${isDeleted ? "deleted" : "changed"})`,
      ),
    ),
    ...notes,
    ...(isNothing(preview) ? ["Nothing to restore: what the call had changed is as it was before."] : []),
    ...(record.counts.refs > 0 && !refs
      ? [
          "The call also moved or removed branches, tags or stashes: `--refs` brings back those that are missing.",
        ]
      : []),
  ]
}

export function doneText({ written, failed, undo }: Restored, preview: RestorePreview): string[] {
  const refs = countRefs(preview)
  return [
    `Restored ${counted(written.length, "file")}${refs > 0 ? " and the state of git" : ""} from ${preview.id}.`,
    ...section(
      `Could not be written: ${counted(failed.length, "file")}`,
      failed.map(({ path, why }) => `${path}: ${why}`),
    ),
    ...(undo === null
      ? []
      : [`\`hivemind restore ${snapshotId(undo)}${refs > 0 ? " --refs" : ""}\` undoes it.`]),
  ]
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const rest = lines.length - MAX_LINES
  return [
    title,
    ...lines.slice(0, MAX_LINES).map((line) => `    ${oneLine(line)}`),
    ...(rest > 0 ? [`    and ${rest} more; \`--json\` has all of them`] : []),
  ]
}

/** Also with `--force` there would be nothing to do. */
export function isNothing(preview: RestorePreview): boolean {
  return writtenCount(preview, true) + countRefs(preview) === 0
}

export function writtenCount({ write, conflicts }: RestorePreview, force: boolean): number {
  return write.length + (force ? conflicts.length : 0)
}

export function countRefs({ refs, stashes, staged }: RestorePreview): number {
  return refs.length + stashes + staged
}

const MAX_LINES = 20
