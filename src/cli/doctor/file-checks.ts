import { accessSync, constants, type Stats, statSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, relative } from "node:path"
import { byteSize, counted } from "../../shared/amounts.ts"
import { systemCode } from "../../shared/system-error.ts"
import { duration } from "../../shared/time.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { FORMAT, readFormat } from "../../store/format.ts"
import { STALE_AFTER_MS } from "../../store/lock.ts"
import type { Health } from "../../store/store.ts"
import { listBrokenCopies } from "../../views/health/broken-copies.ts"
import { describeFileProblems, fileProblems } from "../../views/health/file-problems.ts"
import { foldNote, unlistedNote } from "../project/file-health.ts"
import { type Check, ok, trouble, warning } from "./check.ts"

/** Asks the system and tries nothing: doctor does not write. */
export function checkWritable(project: string): Check {
  const paths = hivePaths(project)
  const folders = [paths.root, dirname(paths.manifest), paths.graph, paths.log, paths.parts, paths.state]
  const problems = [...folders, paths.sessions].flatMap((path) => {
    const stat = statOf(path)
    if (stat === undefined) return []
    const name = relative(project, path)
    if (!stat.isDirectory()) return [`${name} is a file where a folder belongs`]
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
  const { format, broken } = readFormat(hivePaths(project))
  if (broken)
    return warning("format", "Nothing to do: the next write sets it aside.", "the manifest is broken")
  if (format <= FORMAT) return ok("format", `version ${format}`)
  const found = `version ${format}, from a newer HiveMind; this one knows ${FORMAT}: reading works, writing is refused`
  return trouble("format", "Update hivemind-opencode.", found)
}

export function checkLock(ageMs: number | undefined): Check {
  if (ageMs === undefined) return ok("lock", "free")
  if (ageMs < STALE_AFTER_MS) return ok("lock", "held by a process that is writing now")
  return warning(
    "lock",
    "Nothing to do: the next write takes it over by itself.",
    `left behind ${duration(ageMs)} ago`,
  )
}

export function checkFiles(project: string, { problems, unlisted }: Health): Check {
  const more = unlisted === 0 ? [] : [unlistedNote(unlisted)]
  const described = [...describeFileProblems(fileProblems(project, problems)), ...more]
  if (problems.length === 0) return ok("files", "all in order")
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  if (quarantined === 0) return warning("files", null, ...described)
  const first = `${counted(quarantined, "part")} could not be used; the rest is in use`
  return trouble("files", null, first, ...described)
}

export function checkSetAside(project: string): Check {
  const files = listBrokenCopies(project)
  if (files.length === 0) return ok("broken copies", "none")
  const mend = "Take out of them what you miss, then delete them; nothing reads them."
  return warning("broken copies", mend, ...files.map((file) => `.hivemind/${file}`))
}

export function checkFold({ unfolded }: Health, foldAfterBytes: number): Check {
  const line = foldNote(unfolded)
  if (unfolded.bytes <= 3 * foldAfterBytes) return ok("fold", line)
  const mend = "It is folded when a session goes idle. If it keeps growing, .hivemind/system/log/ says why."
  return warning("fold", mend, line)
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined // Missing, or below a file that should be a folder; that file is reported.
  }
}

const DISK_TROUBLE_BYTES = 16 * 1024 ** 2
const DISK_WARNING_BYTES = 256 * 1024 ** 2
