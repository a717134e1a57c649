import { resolve } from "node:path"
import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import { loadConfig, userConfigFile } from "../hive/load-config.ts"
import { type Located, locateHive } from "../hive/locate.ts"
import { openHiveAt } from "../hive/open.ts"
import { HiveError } from "../shared/error.ts"
import { systemSource } from "../shared/ids.ts"
import { type SnapshotPlace, snapshotsIn } from "../snapshots/hive-snapshots.ts"
import { snapshotId } from "../snapshots/records.ts"
import type { Restored, RestorePlan, Snapshots } from "../snapshots/snapshots.ts"
import { hasHive, hivePaths } from "../store/files/layout.ts"
import { hasWords, pageOf } from "../views/look/page.ts"
import { restorePreview, snapshotRows } from "../views/look/snapshots.ts"
import { requireOwnChange } from "../work/restore/own-snapshot.ts"
import { carryOut, planRestore, restoreInHive } from "../work/restore/restore.ts"
import { ask } from "./terminal/ask.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { withProgress } from "./terminal/progress.ts"
import { isCalledByAgent, requirePerson } from "./terminal/require-person.ts"
import {
  countRefs,
  doneText,
  isNothing,
  planText,
  snapshotLines,
  writtenCount,
} from "./terminal/restore-text.ts"
import { styleFor } from "./terminal/style.ts"

interface RestoreCliOptions extends ListingOptions {
  dryRun?: boolean
  refs?: boolean
  force?: boolean
  yes?: boolean
}

/** Lists snapshots, or brings files back from one. Needs no hive: `.hivemind/` may just have been deleted. */
export const restoreCommand: CliCommand<RestoreCliOptions> = {
  configure(command: Command) {
    command
      .argument("[snapshot]", "one of them, such as S41; without it they are listed, newest first")
      .argument("[paths...]", "only these files or folders, back to how they were before that call")
      .option("--dry-run", "only show what would be done")
      .option("--refs", "also bring back branches, tags, stashes and what was staged")
      .option("--force", "also overwrite files that have changed since")
      .option("-y, --yes", "do not ask")
    addListingOptions(command).addHelpText(
      "after",
      "\nIt deletes nothing, and takes a snapshot first, so that it can be undone.\nExample: hivemind restore S41 notes.md",
    )
  },

  run: (input) =>
    withSnapshots(input, async (opened) => {
      const [id, ...paths] = input.args
      return id === undefined ? list(input, opened) : restore(input, opened, id, paths)
    }),
}

interface Opened {
  place: SnapshotPlace & Located
  snapshots: Snapshots
  /** Null where there is none, or it cannot be opened. */
  hive: Hive | null
}

async function withSnapshots<T>(
  { dir, io }: CliInput<RestoreCliOptions>,
  job: (opened: Opened) => Promise<T>,
): Promise<T> {
  const located = locateHive(dir)
  const user = userConfigFile(io.env, io.home)
  const given = { name: "the command line", value: undefined }
  const { config } = await loadConfig({ user, project: hivePaths(located.home).config }, given)
  const place = { ...located, config, source: systemSource }
  const hive = await openedHive()
  try {
    return await job({ place, snapshots: snapshotsIn(place), hive })
  } finally {
    await hive?.store.close()
  }

  async function openedHive(): Promise<Hive | null> {
    if (!hasHive(located.home)) return null
    try {
      const input = { source: systemSource, userConfig: user, options: given }
      return (await openHiveAt(located, input)).hive
    } catch {
      return null // A damaged hive must not keep anybody from their files; doctor tells of it.
    }
  }
}

function list({ options, io }: CliInput<RestoreCliOptions>, { place, snapshots, hive }: Opened): CliResult {
  const style = styleFor(io.stdout, io.env)
  const all = snapshotRows(snapshots, hive?.store.read().state ?? null).filter((row) =>
    hasWords(
      options.find,
      row.id,
      row.tool,
      row.command,
      row.task?.title ?? null,
      ...row.files,
      ...row.deleted_files,
    ),
  )
  const paging = pagingOf(options)
  const now = place.source.now()
  return listing(pageOf(all, paging), paging, {
    project: place.home,
    style,
    empty: options.find === undefined ? emptyText(place) : "No such snapshot.",
    render: (row) => snapshotLines(row, now, style),
  })
}

function emptyText({ config }: Opened["place"]): string {
  return config.snapshots.enabled
    ? "No snapshot was taken here yet. They are taken while an agent works in OpenCode, before each call that may write."
    : "There are no snapshots: the option snapshots.enabled is off."
}

async function restore(
  { dir, options, io }: CliInput<RestoreCliOptions>,
  opened: Opened,
  id: string,
  given: readonly string[],
): Promise<CliResult> {
  const { place, snapshots, hive } = opened
  const { refs = false, force = false, yes = false, dryRun = false } = options
  const paths = given.length === 0 ? null : given.map((path) => resolve(dir, path))
  requireSome(id, opened)
  const plan = await withProgress("Comparing files with the snapshot", io, () =>
    planRestore(snapshots, id, { paths, refs }),
  )
  const preview = restorePreview(plan, snapshots)
  if (paths !== null && isNothing(preview) && preview.created.length === 0) throw nothingBelow(id, given)
  const planned = planText(preview, plan, { force, refs, now: place.source.now() })
  const isIdle = writtenCount(preview, force) + countRefs(preview) === 0
  const data = { project: place.home, ...preview, dry_run: dryRun }
  if (dryRun || isIdle) {
    const text = isIdle ? planned : [...planned, "Nothing was changed."]
    return {
      data: { ...data, written: [], failed: [], undo: null },
      text: text.join("\n"),
      trouble: !dryRun && preview.conflicts.length > 0,
    }
  }
  await requireLeave(opened, plan, { refs, force }, io)
  if (!yes) {
    io.stderr.write(`${planned.join("\n")}\n`)
    if (!(await ask("Restore this?", "restore", io)))
      return {
        data: { ...data, written: [], failed: [], undo: null },
        text: "Nothing was changed.",
        trouble: true,
      }
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
    text: [...(yes ? planned : []), ...doneText(restored, preview)].join("\n"),
    trouble: restored.failed.length + kept.length > 0,
  }
}

function write({ snapshots, hive }: Opened, plan: RestorePlan, force: boolean): Promise<Restored> {
  if (hive === null) return carryOut(snapshots, plan, { session: null, task: plan.record.task, force })
  return restoreInHive(hive, { session: null, agent: null, tool: "hivemind restore" }, plan, {
    force,
    snapshots,
  })
}

/** An agent at the keyboard may restore what the `restore` action lets it restore, and no more. */
async function requireLeave(
  { snapshots, hive }: Opened,
  plan: RestorePlan,
  { refs, force }: { refs: boolean; force: boolean },
  io: CliInput["io"],
): Promise<void> {
  if (!isCalledByAgent(io)) return
  const session = io.env["HIVEMIND_SESSION"]
  if (refs || force || hive === null || !session) return requirePerson(io, "Restoring this")
  await requireOwnChange(hive.store.read().state, session, plan, snapshots)
}

function requireSome(id: string, { place, snapshots }: Opened): void {
  if (place.config.snapshots.enabled) return
  for (const _ of snapshots.list()) return
  throw new HiveError({
    code: "not_found",
    what: "Nothing was restored.",
    why: "Snapshots are switched off (snapshots.enabled), and none was taken before.",
    use_instead: "Set snapshots.enabled to true in your configuration; from then on calls can be restored.",
    evidence: id,
  })
}

function nothingBelow(id: string, paths: readonly string[]): HiveError {
  return new HiveError({
    code: "not_found",
    what: "Nothing was restored.",
    why: `Nothing at ${paths.join(", ")} differs from ${id}: it is as it was, or the snapshot does not have it.`,
    use_instead: `\`hivemind restore ${id} --dry-run\` shows what ${id} can bring back.`,
    evidence: paths.join(", "),
  })
}
