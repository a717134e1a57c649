import { accessSync, constants, type Stats, statSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { snapshotNames } from "../../schemas/records.ts"
import { byteSize, counted } from "../../shared/amounts.ts"
import { systemCode } from "../../shared/system-error.ts"
import { duration } from "../../shared/time.ts"
import { hivePaths } from "../../store/layout.ts"
import { STALE_AFTER_MS } from "../../store/lock.ts"
import { FORMAT, readFormat } from "../../store/manifest.ts"
import { listFolder, parseEntries, readTail } from "../../store/segments.ts"
import type { Health } from "../../store/store.ts"
import { journalNote, listBrokenCopies } from "../project/file-health.ts"
import { describeFileProblems, fileProblems } from "../project/file-problems.ts"
import { type Check, ok, trouble, warning } from "./check.ts"

/** Asks the system and tries nothing: doctor does not write. */
export function checkWritable(project: string): Check {
  const paths = hivePaths(project)
  const folders = [paths.root, dirname(paths.manifest), paths.graph, paths.state, paths.sessions]
  const problems = [...folders, paths.journal].flatMap((path) => {
    const stat = statOf(path)
    if (stat === undefined) return []
    const name = relative(project, path)
    const isFolder = path !== paths.journal
    if (isFolder && !stat.isDirectory()) return [`${name} is a file where a folder belongs`]
    if (!isFolder && stat.isDirectory()) return [`${name} is a folder where a file belongs`]
    try {
      accessSync(path, constants.W_OK)
      return []
    } catch (error) {
      return [`${name} cannot be written (${systemCode(error)})`]
    }
  })
  if (problems.length === 0) return ok("folder", paths.root)
  return trouble("folder", "Move what is in the way, or make it writable for this user.", ...problems)
}

export async function checkDisk(project: string): Promise<Check> {
  const { bavail, bsize } = await statfs(project)
  const free = bavail * bsize
  const line = `${byteSize(free)} free`
  if (free < DISK_TROUBLE_BYTES) return trouble("disk", "Free some space: nothing can be saved.", line)
  if (free < DISK_WARNING_BYTES) return warning("disk", "Free some space.", line)
  return ok("disk", line)
}

export function checkFormat(project: string): Check {
  const { format, manifest } = readFormat(hivePaths(project))
  if (manifest === "broken")
    return warning("format", "Nothing to do: the next write sets it aside.", "the manifest is broken")
  if (format <= FORMAT) return ok("format", `version ${format}`)
  const found = `version ${format}, from a newer HiveMind; this one knows ${FORMAT}: reading works, writing is refused`
  return trouble("format", "Update hivemind-opencode.", found)
}

export function checkLock(project: string, ageMs: number | undefined): Check {
  const { lock } = hivePaths(project)
  if (ageMs === undefined) return ok("lock", "free")
  if (statOf(lock)?.isDirectory() !== true)
    return trouble("lock", `Remove it: rm ${lock}`, "a file is in its place")
  const isNow = Math.abs(ageMs) < STALE_AFTER_MS
  if (isNow) return ok("lock", "held by a process that is writing now")
  const remove = `If no OpenCode runs in this project, remove it: rm -r ${lock}`
  if (ageMs < 0) return trouble("lock", remove, `dated ${duration(-ageMs)} in the future, so it never lapses`)
  return warning(
    "lock",
    `The next write takes it over by itself. ${remove}`,
    `left behind ${duration(ageMs)} ago`,
  )
}

export function checkFiles(project: string, { problems }: Health): Check {
  const described = describeFileProblems(fileProblems(project, problems))
  if (problems.length === 0) return ok("files", "all in order")
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  if (quarantined === 0) return warning("files", null, ...described)
  const first = `${counted(quarantined, "part")} could not be read; the rest is in use`
  return trouble("files", null, first, ...described)
}

/** The store skips broken lines of the history silently; only doctor reports them. */
export function checkHistory(project: string): Check {
  const { history } = hivePaths(project)
  const months = listFolder(history)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => parseEntries(readTail(join(history, name), 0)?.bytes ?? NOTHING, `graph/history/${name}`))
  const entries = months.reduce((sum, month) => sum + month.entries.length, 0)
  const problems = months.flatMap((month) => month.problems)
  const kept = counted(entries, "folded entry", "folded entries")
  if (problems.length === 0) return ok("history", kept)
  const described = describeFileProblems(fileProblems(project, problems))
  return warning("history", "`log`, `undo` and `--as-of` go on without them.", kept, ...described)
}

export function checkSetAside(project: string): Check {
  const files = listBrokenCopies(project)
  if (files.length === 0) return ok("broken copies", "none")
  const mend = "Take out of them what you miss, then delete them; nothing reads them."
  return warning("broken copies", mend, ...files.map((file) => `.hivemind/${file}`))
}

export function checkJournal(project: string, { journal }: Health, foldAfterBytes: number): Check {
  const line = journalNote(journal)
  // A fold waits until the journal is worth half of what it would rewrite.
  const { root } = hivePaths(project)
  const sizes = snapshotNames.map((file) => statOf(join(root, file))?.size ?? 0)
  const due = Math.max(foldAfterBytes, sizes.reduce((sum, size) => sum + size, 0) / 2)
  if (journal.bytes <= 2 * due) return ok("journal", line)
  const mend = "It is folded when a session goes idle. If it keeps growing, .hivemind/system/log/ says why."
  return warning("journal", mend, line)
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined // Missing, or below a file that should be a folder; that file is reported.
  }
}

const NOTHING = Buffer.alloc(0)
const DISK_TROUBLE_BYTES = 16 * 1024 ** 2
const DISK_WARNING_BYTES = 256 * 1024 ** 2
