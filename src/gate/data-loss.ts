import { withSlashes } from "../project/project-path.ts"
import { HiveError } from "../shared/error.ts"
import { isGlob, segmentsMeet } from "../shared/glob.ts"
import { shorten } from "../shared/text/clean.ts"
import {
  contains,
  isAbsolutePath,
  isBuildOutput,
  isCache,
  isTemporary,
} from "../shared/well-known-folders.ts"
import type { GateCall } from "./call.ts"
import type { FileSystemProbe } from "./file-system-probe.ts"
import {
  type Discard,
  type Effect,
  FINDING_TEXT,
  type Finding,
  type FindingKind,
} from "./shell/command-reading.ts"
import { NOT_EMPTY, UNKNOWN } from "./shell/expand-word.ts"
import { findUserRequest } from "./user-asked.ts"

export interface DataLossInput {
  projectDir: string
  userWork: UserWork
  probe: FileSystemProbe
  /** The user's last message in the conversation that the call belongs to. */
  userMessage: string
  /** Beginnings of commands that a person has allowed (`allow_commands`). */
  allowed: readonly string[]
}

/** Refuses what cannot be undone, unless the user has asked for it. Returns why something passed, for the log. */
export function refuseDataLoss(call: GateCall, input: DataLossInput): string[] {
  const passed: string[] = []
  for (const finding of findLosses(call, withSlashes(input.projectDir), input.userWork, input.probe)) {
    const allowed = input.allowed.find((prefix) => beginsWith(finding.part, prefix))
    const asked = findUserRequest(input.userMessage, finding)
    const part = () => shorten(finding.part, MAX_SHOWN)
    if (allowed !== undefined) passed.push(`${part()}: allow_commands has "${allowed}"`)
    else if (asked !== undefined) passed.push(`${part()}: the user asked "${shorten(asked, MAX_SHOWN)}"`)
    else throw refusal(call, finding)
  }
  return passed
}

function beginsWith(part: string, prefix: string): boolean {
  const [text, start] = [part, prefix].map((one) => one.trim().replaceAll(/\s+/g, " "))
  return start !== "" && start !== undefined && `${text} `.startsWith(`${start} `)
}

function refusal({ tool }: GateCall, { kind, what, part }: Finding): HiveError {
  return new HiveError({
    code: "destructive",
    what: `${tool} was not run: it ${what}.`,
    why: OWN_WORK.has(kind)
      ? "That work is uncommitted, and the user did not ask to lose it."
      : "A snapshot of the project cannot bring it back.",
    use_instead: `${INSTEAD[kind]} Or ask the user to run it, or to allow it with allow_commands in .hivemind/system/config.json.`,
    evidence: shorten(part, MAX_SHOWN),
  })
}

/** Everything for which a call is refused because it could not be undone, or would hit the user's uncommitted work. */
function findLosses(
  call: GateCall,
  projectDir: string,
  userWork: UserWork,
  probe: FileSystemProbe,
): Finding[] {
  return [
    ...(call.shell?.findings ?? []),
    ...call.effects.flatMap((effect) => effectLoss(effect, projectDir, userWork, probe) ?? []),
    ...call.discards.flatMap((discard) => discardLoss(discard, projectDir, userWork, probe) ?? []),
  ]
}

function effectLoss(
  effect: Effect,
  projectDir: string,
  userWork: UserWork,
  probe: FileSystemProbe,
): Finding | undefined {
  const { path, how, part } = effect
  const isRemoved = how === "removed" || how === "removed recursively"
  const does = isRemoved ? "deletes" : "overwrites"
  if (path.includes(UNKNOWN)) {
    // `**/*` is all that `find` finds.
    const isRecursive = how === "removed recursively" || (isRemoved && path.endsWith("/**/*"))
    const isUnknown = isRecursive && !isBelowKnown(path, projectDir, probe.home)
    return isUnknown ? { kind: "unknown target", what: FINDING_TEXT["unknown target"], part } : undefined
  }
  if (how === "moved" || path.includes(NOT_EMPTY)) return undefined
  if (isAbsolutePath(path))
    return isOutsideLoss(path, isRemoved, probe)
      ? { kind: "outside", what: `${does} ${path}, which is outside of the project`, part }
      : undefined
  const left = userWork.leftOut.find(
    (one) => covers(path, one, how === "removed recursively") || contains(one, path),
  )
  if (left !== undefined && !isBuildOutput(left))
    return { kind: "left out", what: `${does} ${left}, which the snapshot left out`, part }
  if (how === "replaced") return undefined
  const hit = findUserFile([path], userWork.usersFiles, how === "removed recursively")
  if (hit === undefined) return undefined
  return { kind: "deleted file", what: `${does} ${hit}, which is the user's uncommitted work`, part }
}

/** The unknown part lies in a known folder that may be emptied: below the project, temporary, or a cache. */
function isBelowKnown(path: string, projectDir: string, home: string): boolean {
  const folder = path.slice(0, path.indexOf(UNKNOWN)).replace(/\/[^/]*$/, "")
  if (contains(projectDir, folder)) return folder !== projectDir
  return isTemporary(`${folder}/`) || isCache(`${folder}/x`, home)
}

function isOutsideLoss(
  path: string,
  isRemoved: boolean,
  { home, exists, isOldRepository }: FileSystemProbe,
): boolean {
  if (isTemporary(path)) return isOldRepository(path)
  if (isCache(path.replace(/\/\*+$/, ""), home)) return false
  return (isRemoved && (isGlob(path) || contains(path, home))) || exists(path)
}

function discardLoss(
  { what, paths, part, isCertain }: Discard,
  projectDir: string,
  userWork: UserWork,
  probe: FileSystemProbe,
): Finding | undefined {
  const elsewhere = paths.find((path) => isAbsolutePath(path) && !contains(path, projectDir))
  if (elsewhere !== undefined && isCertain && isOutsideLoss(elsewhere, false, probe))
    return {
      kind: "discarded changes",
      what: `discards changes in ${elsewhere}, which is outside of the project`,
      part,
    }
  const { isCovered, usersFiles, untracked = new Set(), ignored = new Set(), hasUsersStash } = userWork
  if (what === "stash")
    return hasUsersStash || !isCovered
      ? { kind: "stash", what: "deletes stashes of the user", part }
      : undefined
  const isInKind = (file: string) => {
    if (what === "tracked") return !untracked.has(file)
    if (userWork.untracked !== undefined && !untracked.has(file)) return false
    return ignored.has(file) ? what !== "untracked" : what !== "ignored" || userWork.ignored === undefined
  }
  const all = new Set([...usersFiles].filter(isInKind))
  const isWhole = paths.some((path) => path === "." || path === projectDir || contains(path, projectDir))
  const hit = isWhole ? [...all].find((file) => !isBuildOutput(file)) : findUserFile(paths, all, true)
  if (hit !== undefined)
    return { kind: "discarded changes", what: `discards the user's uncommitted work (${hit})`, part }
  const left =
    what === "tracked"
      ? undefined
      : userWork.leftOut.find((one) => isWhole || paths.some((path) => covers(path, one, true)))
  if (left !== undefined && !isBuildOutput(left))
    return { kind: "left out", what: `may delete ${left}, which the snapshot left out`, part }
  return isCovered || !isCertain
    ? undefined
    : {
        kind: "discarded changes",
        what: "discards uncommitted changes, and no snapshot covers this call",
        part,
      }
}

/** The first of the user's files that one of the paths matches. Build output does not count. */
function findUserFile(
  paths: readonly string[],
  files: ReadonlySet<string>,
  whole: boolean,
): string | undefined {
  for (const path of paths) {
    if (files.has(path) && !isBuildOutput(path)) return path
    if (!whole && !isGlob(path)) continue
    for (const file of files) if (covers(path, file, whole) && !isBuildOutput(file)) return file
  }
  return undefined
}

/** Does the path or pattern match this file? `whole`: a folder matches everything in it. */
function covers(pattern: string, file: string, whole: boolean): boolean {
  if (pattern === "." || pattern === "") return whole
  if (!isGlob(pattern)) return pattern === file || (whole && file.startsWith(`${pattern}/`))
  return segmentsCover(pattern.split("/"), file.split("/"), whole, pattern.includes("**"))
}

function segmentsCover(
  [first, ...rest]: readonly string[],
  names: readonly string[],
  whole: boolean,
  dots: boolean,
): boolean {
  if (first === undefined) return names.length === 0 || whole
  if (first === "**") return names.some((_, at) => segmentsCover(rest, names.slice(at), whole, dots))
  const [name, ...others] = names
  if (name === undefined) return false
  // `*` does not match names that begin with a dot.
  if (!dots && name.startsWith(".") && !first.startsWith(".")) return false
  return segmentsMeet(first, name) && segmentsCover(rest, others, whole, dots)
}

const OWN_WORK: ReadonlySet<FindingKind> = new Set(["discarded changes", "deleted file", "stash"])
const MAX_SHOWN = 160

/** The advice of a refusal, by kind of finding. */
const INSTEAD: Record<FindingKind, string> = {
  "force push": "Push to a new branch, or use --force-with-lease on your own branch.",
  "remote deletion": "Leave it on the remote and report that it can go.",
  database: "Work on a temporary database, or make a backup first.",
  volume: "Remove only volumes that this session created, by name.",
  "cluster or cloud": "List the affected resources first (a dry run).",
  "disk or machine": "Work on a file or on one process by its name.",
  "unread download": "Download it to a file, read it, then run it.",
  "fork bomb": "Start a fixed number of processes.",
  outside: "Work inside of the project or in a temporary folder.",
  "unknown target": "Name the folder instead of using a variable that may be empty.",
  "left out": "Move it aside instead of deleting it.",
  "discarded changes": "Commit or stash those files first, or name only files that you changed yourself.",
  "deleted file": "Move it aside, or commit it first.",
  stash: "Leave the stash where it is.",
}

/** The user's uncommitted work, and whether a snapshot covers the call. Paths are relative to the project. */
export interface UserWork {
  /** Whether a snapshot was taken before this call, so that its changes to the project can be undone. */
  isCovered: boolean
  /** Files with uncommitted content that was there when the session began and is still the same. Ignored files such as `.env` are among them. */
  usersFiles: ReadonlySet<string>
  /** Those of them that git does not track: `git reset --hard` leaves them alone, `git clean` deletes them. Not given: all count as tracked. */
  untracked?: ReadonlySet<string>
  /** Those of the untracked that git ignores: `git clean` deletes them only with `-x` or `-X`. */
  ignored?: ReadonlySet<string>
  /** Files and folders that the snapshot left out: too large, unreadable, nested repositories beyond the limits. */
  leftOut: readonly string[]
  /** Whether the user had stashes when the session began that are still there. */
  hasUsersStash: boolean
}

/** A clean work tree, covered by a snapshot. */
export const NO_USER_WORK: UserWork = {
  isCovered: true,
  usersFiles: new Set(),
  leftOut: [],
  hasUsersStash: false,
}
