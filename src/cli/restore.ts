import { resolve } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { loadConfig, userConfigFile } from "../hive/load-config.ts"
import { type Located, locateHive } from "../hive/locate.ts"
import { byteSize, counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { systemSource } from "../shared/ids.ts"
import { oneLine, shorten } from "../shared/text/clean.ts"
import { type SnapshotPlace, snapshotsIn } from "../snapshots/hive-snapshots.ts"
import { snapshotId } from "../snapshots/records.ts"
import type { Snapshots } from "../snapshots/snapshots.ts"
import { hasHive, hivePaths } from "../store/files/layout.ts"
import { hasWords, pageOf } from "../views/lists/page.ts"
import {
  type RestorePreview,
  restorePreview,
  type SnapshotRow,
  snapshotCall,
  snapshotChanges,
  snapshotRows,
  timeAgo,
} from "../views/lists/snapshots.ts"
import {
  carryOut,
  planRestore,
  type Restored,
  type RestorePlan,
  restoreInHive,
} from "../work/restore/restore.ts"
import { openPlainHive } from "./project/open-project.ts"
import { type CliCommand, type CliInput, type CliResult, textLines } from "./terminal/command.ts"
import { listing } from "./terminal/listing.ts"
import { addListingOptions, definedOnly, type ListingOptions } from "./terminal/options.ts"
import { ask, declined, signOfAgent } from "./terminal/person.ts"
import { withProgress } from "./terminal/progress.ts"
import { type Style, section } from "./terminal/style.ts"

type RestoreOptions = ListingOptions & { dryRun?: boolean; refs?: boolean; force?: boolean; yes?: boolean }

/** Lists snapshots, or restores files from one. Works without `.hivemind/`, which may just have been deleted. */
export const command: CliCommand<RestoreOptions> = {
  configure(restoring) {
    restoring
      .argument("[snapshot]", "a snapshot, such as S41; without it, all snapshots are listed")
      .argument("[paths...]", "restore only these files or folders")
      .option("--dry-run", "only show the changes")
      .option("--refs", "also bring back branches, tags, stashes and staged files")
      .option("--force", "also overwrite files that have changed since the snapshot")
      .option("-y, --yes", "do not ask for confirmation")
    addListingOptions(restoring)
  },

  help: `Restoring deletes no file. It takes a snapshot first, so that it can be undone.
Example: hivemind restore S41 notes.md`,

  async run(input) {
    const opened = await openSnapshots(input)
    try {
      const [id, ...paths] = input.args
      return id === undefined ? list(input, opened) : await restore(input, opened, id, paths)
    } finally {
      await opened.hive?.store.close()
    }
  },
}

type Opened = { place: SnapshotPlace & Located; snapshots: Snapshots; hive: Hive | null }

async function openSnapshots({ dir, io }: CliInput<RestoreOptions>): Promise<Opened> {
  const located = locateHive(dir)
  const files = { user: userConfigFile(io.env, io.home), project: hivePaths(located.home).config }
  const { config } = await loadConfig(files, { name: "the command line", value: undefined })
  const place = { ...located, config, source: systemSource }
  // Files can be restored even if `.hivemind/` is damaged. Doctor reports the damage.
  const opened = hasHive(located.home) ? await openPlainHive(located, io).catch(() => null) : null
  return { place, snapshots: snapshotsIn(place), hive: opened?.hive ?? null }
}

function list(input: CliInput<RestoreOptions>, { place, snapshots, hive }: Opened): CliResult {
  const { find } = input.options
  const all = snapshotRows(snapshots, hive?.store.read().state ?? null).filter(
    ({ id, tool, command: call, task, files, deleted_files }) =>
      hasWords(find, id, tool, call, task?.title ?? null, ...files, ...deleted_files),
  )
  const { data, text } = listing(input, pageOf(all, input.options), {
    filter: definedOnly({ find }),
    none: place.config.snapshots.enabled
      ? "There are no snapshots yet. While an agent works in OpenCode, HiveMind takes one before each call that may write."
      : "There are no snapshots: the option snapshots.enabled is off.",
    noneFound: "No such snapshot.",
    render: (row) => snapshotLines(row, place.source.now(), input.style),
  })
  return { data: { project: place.home, ...data }, text }
}

async function restore(
  { dir, options, io }: CliInput<RestoreOptions>,
  opened: Opened,
  id: string,
  given: readonly string[],
): Promise<CliResult> {
  const { place, snapshots, hive } = opened
  const { refs = false, force = false, yes = false, dryRun = false } = options
  const paths = given.length === 0 ? null : given.map((path) => resolve(dir, path))
  if (!place.config.snapshots.enabled && snapshots.list().next().done)
    throw notRestored(
      "Snapshots are switched off (snapshots.enabled), and none was taken before.",
      "Set snapshots.enabled to true in your configuration: HiveMind then takes snapshots of later calls.",
      id,
    )
  const plan = await withProgress("Comparing files with the snapshot", io, () =>
    planRestore(snapshots, id, { paths, refs }),
  )
  const preview = restorePreview(plan, snapshots)
  if (paths !== null && isNothing(preview) && preview.created.length === 0)
    throw notRestored(
      `Nothing at ${given.join(", ")} differs from ${id}: the files are as they were, or the snapshot does not have them.`,
      `\`hivemind restore ${id} --dry-run\` shows what ${id} can bring back.`,
      given.join(", "),
    )
  const planned = planLines(preview, plan, { force, refs, now: place.source.now() })
  const isIdle = writtenCount(preview, force) + countRefs(preview) === 0
  const data = { project: place.home, ...preview, dry_run: dryRun, written: [], failed: [], undo: null }
  if (dryRun || isIdle)
    return {
      data,
      text: isIdle ? planned : [...planned, "Nothing was changed."],
      trouble: !dryRun && preview.conflicts.length > 0,
    }
  // An agent has to use the tool's `restore` action, which knows its session, its role and its path scope.
  if (signOfAgent(io) !== undefined)
    throw notRestored(
      "An agent called `hivemind restore` in its shell, where its role and its session are not known.",
      `Call hivemind_session with action "restore" and snapshot "${id}". A person runs this in a terminal of their own, outside of OpenCode.`,
      id,
      "protected",
    )
  if (!yes) {
    io.stderr.write(`${planned.join("\n")}\n`)
    if (!(await ask("Restore this?", "restore", io))) return declined(data)
  }
  const restored = await withProgress("Restoring", io, () => write(opened, plan, force))
  const kept = force ? [] : preview.conflicts
  return {
    data: {
      ...data,
      written: restored.written.map((path) => snapshots.projectPath(path) ?? path),
      failed: restored.failed,
      undo: restored.undo === null ? null : snapshotId(restored.undo),
      logged: hive !== null,
    },
    text: [...(yes ? planned : []), ...doneLines(restored, preview)],
    trouble: restored.failed.length + kept.length > 0,
  }
}

function write({ snapshots, hive }: Opened, plan: RestorePlan, force: boolean): Promise<Restored> {
  if (hive === null) return carryOut(snapshots, plan, { session: null, task: plan.record.task, force })
  const caller = { session: null, agent: null, tool: "hivemind restore" }
  return restoreInHive(hive, caller, plan, { force, snapshots })
}

function notRestored(
  why: string,
  use_instead: string,
  evidence: string,
  code: "not_found" | "protected" = "not_found",
): HiveError {
  return new HiveError({ code, what: "Nothing was restored.", why, use_instead, evidence })
}

function snapshotLines(row: SnapshotRow, now: number, style: Style): string[] {
  const isNamed = row.command === null || row.command.startsWith(row.tool)
  const call = isNamed ? snapshotCall(row) : `${row.tool}: ${row.command}`
  const task = row.task === null ? "" : `  (${shorten(oneLine(row.task.title), 60)})`
  return [
    `${style("cyan", row.id)}  ${style("dim", timeAgo(row.at, now))}  ${shorten(oneLine(call), 100)}${task}`,
    ...snapshotChanges(row).map(
      (line) => `    ${line.startsWith("deleted") ? style("red", oneLine(line)) : oneLine(line)}`,
    ),
    ...(row.isOverlapped
      ? [style("dim", "    other calls ran at the same time: their changes may be among these")]
      : []),
  ]
}

function planLines(
  preview: RestorePreview,
  { record }: RestorePlan,
  { force, refs, now }: { force: boolean; refs: boolean; now: number },
): string[] {
  const { id, write: files, conflicts, created, stashes, staged, notes } = preview
  const list = (title: string, lines: readonly string[]) => section(title, lines.map(oneLine), MAX_LINES)
  const inConflict = counted(conflicts.length, "file")
  return textLines([
    `${id}: as it was before \`${shorten(oneLine(snapshotCall(record)), 80)}\`, ${timeAgo(record.at, now)}`,
    ...list(`To be written: ${counted(files.length, "file")}`, files),
    ...list(
      force
        ? `Changed since, to be overwritten: ${inConflict}`
        : `Changed since, so kept: ${inConflict}. \`--force\` overwrites them, which can be undone:`,
      conflicts.map(({ path, why }) => `${path}: ${why}`),
    ),
    ...list(
      `Created by the call, not deleted: ${counted(created.length, "file")}. Delete them yourself if you do not want them:`,
      created,
    ),
    ...list(
      "Branches and tags to be restored:",
      preview.refs.map(({ name, commit }) => `${name} to ${commit.slice(0, 10)}`),
    ),
    stashes > 0 && `Stashes to be restored: ${stashes}`,
    staged > 0 && `To be staged again: ${counted(staged, "file")}`,
    ...list(
      "Too large to be kept, so not restored:",
      record.notRestorable.map(
        ({ path, bytes, isDeleted }) => `${path} (${byteSize(bytes)}, ${isDeleted ? "deleted" : "changed"})`,
      ),
    ),
    ...notes,
    isNothing(preview) && "Nothing to restore: the files that the call changed are as they were before.",
    record.counts.refs > 0 &&
      !refs &&
      "The call also moved or removed branches, tags or stashes: `--refs` brings back those that are missing.",
  ])
}

function doneLines({ written, failed, undo }: Restored, preview: RestorePreview): string[] {
  const [state, flag] = countRefs(preview) > 0 ? [" and the state of git", " --refs"] : ["", ""]
  const failures = failed.map(({ path, why }) => oneLine(`${path}: ${why}`))
  return textLines([
    `Restored ${counted(written.length, "file")}${state} from ${preview.id}.`,
    ...section(`Could not be written: ${counted(failed.length, "file")}`, failures, MAX_LINES),
    undo && `\`hivemind restore ${snapshotId(undo)}${flag}\` undoes it.`,
  ])
}

function isNothing(preview: RestorePreview): boolean {
  return writtenCount(preview, true) + countRefs(preview) === 0
}

function writtenCount({ write: files, conflicts }: RestorePreview, force: boolean): number {
  return files.length + (force ? conflicts.length : 0)
}

function countRefs({ refs, stashes, staged }: RestorePreview): number {
  return refs.length + stashes + staged
}

const MAX_LINES = 20
