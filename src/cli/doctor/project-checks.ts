import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, relative } from "node:path"
import { openConflicts } from "../../graph/open-conflicts.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Located } from "../../hive/locate.ts"
import { quarantineNotice, unmovedNotice, unreadNotice } from "../../migrate/automatic.ts"
import { TAKE_OUT, trackedHive } from "../../project/git/git.ts"
import { isGitInstalled } from "../../project/git/run-git.ts"
import type { Entry } from "../../schemas/entry.ts"
import { byteSize, counted } from "../../shared/amounts.ts"
import { systemCode } from "../../shared/system-error.ts"
import { duration } from "../../shared/time.ts"
import { hiveSnapshots } from "../../snapshots/hive-snapshots.ts"
import type { Difference, DifferenceCode } from "../../store/compare.ts"
import { HIVE_FOLDER, hivePaths } from "../../store/files/layout.ts"
import { FORMAT, readFormat } from "../../store/format.ts"
import { STALE_AFTER_MS } from "../../store/lock.ts"
import type { Health } from "../../store/store.ts"
import { describeSyncState, lostEntries, syncState } from "../../sync/state.ts"
import { timeAgo } from "../../views/lists/snapshots.ts"
import { describeEntries } from "../../views/log/log-entries.ts"
import { describeFileProblems, fileProblems, listBrokenCopies } from "../../views/problems.ts"
import { type Finding, ok, skipped, trouble, warning } from "./check.ts"

export interface CheckedProject {
  place: Located
  hive: Hive
  health: Health
  configProblems: string[]
}

export const PROJECT_CHECKS: Readonly<Record<string, (given: CheckedProject) => Promise<Finding> | Finding>> =
  {
    folder: ({ place }) => checkWritable(place.home),
    disk: ({ place }) => checkDisk(place.home),
    format: ({ place }) => checkFormat(place.home),
    options: ({ configProblems, hive }) =>
      configProblems.length === 0
        ? ok(`all valid; governance is ${hive.config.governance}`)
        : warning("Correct these options: HiveMind ignores invalid values.", ...configProblems),
    lock: ({ health }) => checkLock(health.lockAgeMs),
    files: ({ place, health }) => checkFiles(place.home, health),
    "broken copies": ({ place }) => checkBrokenCopies(place.home),
    "log size": ({ health, hive }) => checkLogSize(health, hive.config.fold_after_kb * 1024),
    log: ({ hive }) => checkLog(hive),
    hives: ({ place }) => checkHives(place),
    git: ({ place }) => checkInGit(place),
    snapshots: ({ hive }) => checkSnapshots(hive),
    sync: ({ hive }) => checkSync(hive),
    conflicts: ({ hive }) => checkConflicts(hive),
    "older versions": ({ place }) => checkOlderVersions(place.home),
  }

function checkWritable(project: string): Finding {
  const paths = hivePaths(project)
  const folders = [paths.root, dirname(paths.manifest), paths.graph, paths.log, paths.parts, paths.state]
  const problems = [...folders, paths.sessions].flatMap((path) => {
    const stat = statOf(path)
    if (stat === undefined) return []
    const name = relative(project, path)
    if (!stat.isDirectory()) return [`${name} is a file where a folder belongs`]
    const refusal = writeRefusal(path)
    return refusal === undefined ? [] : [`${name} cannot be written (${refusal})`]
  })
  if (problems.length === 0) return ok(paths.root)
  return trouble("Move these files away, or make them writable for this user.", ...problems)
}

export async function checkDisk(project: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(project)
  const free = bavail * bsize
  const line = `${byteSize(free)} free`
  if (free < DISK_TROUBLE_BYTES) return trouble("Free some space: nothing can be saved.", line)
  return free < DISK_WARNING_BYTES ? warning("Free some space.", line) : ok(line)
}

function checkFormat(project: string): Finding {
  const { format, broken } = readFormat(hivePaths(project))
  if (broken)
    return warning("Nothing to do: the next write moves the broken file aside.", "the manifest is broken")
  if (format <= FORMAT) return ok(`version ${format}`)
  const found = `version ${format}, from a newer HiveMind; this one knows ${FORMAT}: reading works, writing is refused`
  return trouble("Update hivemind-opencode.", found)
}

function checkLock(ageMs: number | undefined): Finding {
  if (ageMs === undefined) return ok("free")
  if (ageMs < STALE_AFTER_MS) return ok("held by a process that is writing now")
  const mend = "Nothing to do: the next write takes over the lock."
  return warning(mend, `left behind ${duration(ageMs)} ago`)
}

function checkFiles(project: string, { problems, unlisted }: Health): Finding {
  if (problems.length === 0) return ok("all in order")
  const more = unlisted === 0 ? [] : [`and ${counted(unlisted, "problem")} more, not listed here`]
  const described = [...describeFileProblems(fileProblems(project, problems)), ...more]
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  if (quarantined === 0) return warning(null, ...described)
  return trouble(null, `${counted(quarantined, "part")} could not be read; the rest is used`, ...described)
}

function checkBrokenCopies(project: string): Finding {
  const files = listBrokenCopies(project)
  if (files.length === 0) return ok("none")
  const mend = "Delete them when you like: HiveMind does not read them, and the log has their records."
  return warning(mend, ...files.map((file) => `.hivemind/${file}`))
}

function checkLogSize({ unfolded: { entries, bytes } }: Health, foldAfterBytes: number): Finding {
  const line =
    entries === 0
      ? "every entry is in the graph files"
      : `${counted(entries, "entry", "entries")} (${byteSize(bytes)}) not in the graph files yet`
  if (bytes <= 3 * foldAfterBytes) return ok(line)
  const mend =
    "HiveMind adds them when a session is idle. If the number keeps growing, .hivemind/system/log/ says why."
  return warning(mend, line)
}

async function checkLog(hive: Hive): Promise<Finding> {
  const all = await hive.store.compareWithLog()
  const lost = await lostEntries(hive)
  const differences = all.filter(({ code }) => code !== "torn_line" && code !== "restored_line")
  if (differences.length + lost.length === 0)
    return ok("replaying the log gives the same graph", ...describeDifferences(all))
  const isIncomplete = lost.length > 0 || differences.some(({ code }) => code === "lost_line")
  const isLoss = differences.some(({ code }) => code === "lost_entries" || code === "lost_record")
  const level = isIncomplete || isLoss ? trouble : warning
  return level(
    null,
    isIncomplete ? "the graph or its log is not complete" : "replaying the log does not give the same graph",
    ...describeDifferences(differences, lost.length > 0 ? ["lost_line"] : []),
    ...describeLost(lost, hive.store.read().state),
  )
}

function describeLost(lost: Entry[], state: GraphState): string[] {
  if (lost.length === 0) return []
  const described = describeEntries(lost, new Set(lost.slice(0, MAX_DIFFERENCES)), state)
  const more = lost.length - described.length
  return [
    `${counted(lost.length, "entry", "entries")} of the backup ${lost.length === 1 ? "is" : "are"} not in the log:`,
    ...described.map(({ short, changes }) => `  ${short} ${changes.join("; ")}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    "→ `hivemind sync --restore` brings back what the backup has.",
  ]
}

function describeDifferences(
  differences: readonly Difference[],
  withoutAdvice: readonly DifferenceCode[] = [],
): string[] {
  const codes = [...new Set(differences.map(({ code }) => code))]
  return codes.flatMap((code) => {
    const alike = differences.filter((each) => each.code === code).map(({ text }) => text)
    const more = alike.length - MAX_DIFFERENCES
    return [
      ...alike.slice(0, MAX_DIFFERENCES),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(withoutAdvice.includes(code) ? [] : [`→ ${DIFFERENCE_ADVICE[code]}`]),
    ]
  })
}

/** Warns about more than one `.hivemind/` in the repository. HiveMind uses only one; older versions made the others. */
export async function checkHives({ home, nested }: Pick<Located, "home" | "nested">): Promise<Finding> {
  if (nested.length === 0) return ok("one .hivemind/ folder, as it should be")
  const fromGit = new Set<string>()
  for (const folder of nested)
    if ((await trackedHive({ home: folder, dir: folder })).length > 0) fromGit.add(folder)
  const mend =
    "Move it out of the repository to keep it, or delete it: `hivemind uninstall --purge --dir <folder>`." +
    (fromGit.size === 0 ? "" : ` If git tracks it, run in that folder: ${TAKE_OUT}`)
  return warning(
    mend,
    `the hive of this repository is in ${home}; these others are not used:`,
    ...nested.map((folder) => `${folder}${fromGit.has(folder) ? " (tracked by git)" : ""}`),
  )
}

/** Warns if git tracks `.hivemind/`: its files would then change with every switch of branches. */
export async function checkInGit(place: Located): Promise<Finding> {
  const tracked = await trackedHive(place)
  if (tracked.length === 0) return ok(`tracks nothing in ${HIVE_FOLDER}/`)
  const mend = `Run on each branch that is still in use: ${TAKE_OUT}. The files stay on disk.`
  const held = (files: number) => `tracks ${counted(files, "file")} in ${HIVE_FOLDER}/`
  const lines = tracked.map(({ folder, files }) => `${held(files)} on the current branch in ${folder}`)
  return warning(mend, ...lines)
}

export async function checkSnapshots(hive: Hive): Promise<Finding> {
  const { enabled, keep_days, max_mb } = hive.config.snapshots
  const snapshots = hiveSnapshots(hive)
  const { snapshots: count, bytes, oldest } = await snapshots.size()
  const age = oldest === null ? "" : `, the oldest from ${timeAgo(oldest, hive.source.now())}`
  const kept = count === 0 ? "none yet" : `${counted(count, "snapshot")}, ${byteSize(bytes)}${age}`
  const limits = `kept for ${keep_days} days, up to ${byteSize(max_mb * MB)}`
  if (!(await isGitInstalled()))
    return warning("Install git: snapshots need it.", "git cannot be run here", kept)
  if (!enabled) return skipped(`switched off (snapshots.enabled); ${kept}`)
  const dir = snapshots.dir()
  if (existsSync(dir) && writeRefusal(dir) !== undefined)
    return trouble(`Make ${dir} writable: snapshots need it.`, "no snapshot can be written", kept)
  if (bytes > 2 * max_mb * MB)
    return warning("HiveMind deletes old snapshots every few hours while agents work.", `${kept}; ${limits}`)
  const newest = snapshots.list().next().value
  const left = (newest?.after ?? newest?.before)?.leftOut ?? []
  return ok(`${kept}; ${limits}`, ...(left.length === 0 ? [] : [leftOutText(left)]))
}

function leftOutText(left: readonly { path: string; bytes: number }[]): string {
  const largest = left.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3)
  const names = largest.map(({ path, bytes }) => `${path} (${byteSize(bytes)})`)
  const more = left.length > names.length ? ", …" : ""
  return `not in the snapshots, so not restorable: ${counted(left.length, "file or folder", "files or folders")}: ${names.join(", ")}${more}`
}

/** Reports the state of the repository's log without contacting the remote. */
async function checkSync({ store, dir, config }: Hive): Promise<Finding> {
  const state = await syncState(store, dir)
  if (state === null) return skipped("not in a git repository")
  const found = [describeSyncState(state), `option sync is ${config.sync}`]
  if (config.sync === "auto" && state.remote !== null && state.isSent === null)
    return warning("Run `hivemind sync` once: the first push is never automatic.", ...found)
  return ok(found.join("; "))
}

function checkConflicts({ store }: Hive): Finding {
  const count = openConflicts(store.read().state).length
  if (count === 0) return ok("none")
  return warning(
    "`hivemind sync conflicts` shows how to settle them.",
    `${counted(count, "conflict")} between clones`,
  )
}

export function checkOlderVersions(home: string): Finding {
  const [unread, unmoved, aside] = [unreadNotice(home), unmovedNotice(home), quarantineNotice(home)]
  const notices = [unread, unmoved, aside].filter((each) => each !== undefined)
  if (unread !== undefined)
    return warning("Run `hivemind import migrate --dry-run` to preview the result.", ...notices)
  if (unmoved !== undefined)
    return warning("Run `hivemind import migrate`: it continues, or says why it cannot.", ...notices)
  if (aside === undefined) return ok("no old files are left to convert")
  const mend =
    "Read the file, and save those records again that you still need. Deleting the file ends this warning."
  return warning(mend, aside)
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined // Missing, or below a file that should be a folder; that file is reported.
  }
}

function writeRefusal(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch (error) {
    return systemCode(error) ?? String(error)
  }
}

const DIFFERENCE_ADVICE: Record<DifferenceCode, string> = {
  lost_line: "The backup does not have it. If you have a copy of the file, put it back.",
  restored_line: "Nothing to do: the entry of this line came back.",
  lost_entries:
    "Put the file back, from git or a backup: `.hivemind/graph/log/` is the only copy of the history. The graph is " +
    "complete without the file, but its entries cannot be shown or undone, and `--as-of` does not include them.",
  torn_line:
    "Nothing to do: a write that was reported as failed leaves such a line. It contains nothing that was saved.",
  broken_line:
    "Put the file back as it was, from git or a backup. The graph is complete without the line, but its " +
    "entry cannot be shown or undone.",
  not_logged_yet:
    "Nothing to do: the record was repaired, and the next change of a plan or task writes the repair to the log.",
  not_logged:
    "HiveMind uses the graph files, not the log. If a log file is damaged or missing, put that file back.",
  lost_record: "`hivemind doctor --repair` brings it back from the log.",
}
const MAX_DIFFERENCES = 5
const MB = 1024 * 1024
const DISK_TROUBLE_BYTES = 16 * MB
const DISK_WARNING_BYTES = 256 * MB
