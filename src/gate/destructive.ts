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
  userMessage: string
  /** Prefixes of commands that the user has allowed in the configuration (`allow_commands`). */
  allowed: readonly string[]
}

/** Refuses irreversible effects, unless the user asked for or allowed them. Returns why each of those was let through. */
export function refuseDataLoss(call: GateCall, input: DataLossInput): string[] {
  const place = { ...input, projectDir: withSlashes(input.projectDir) }
  const findings = [
    ...(call.shell?.findings ?? []),
    ...call.effects.flatMap((effect) => effectLoss(effect, place) ?? []),
    ...call.discards.flatMap((discard) => discardLoss(discard, place) ?? []),
  ]
  return findings.map((finding) => {
    const part = shorten(finding.part, MAX_SHOWN)
    const allowed = input.allowed.find((prefix) => beginsWith(finding.part, prefix))
    if (allowed !== undefined) return `${part}: allow_commands has "${allowed}"`
    const asked = findUserRequest(input.userMessage, finding)
    if (asked !== undefined) return `${part}: the user asked "${shorten(asked, MAX_SHOWN)}"`
    throw refusal(call, finding)
  })
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
      : "A snapshot of the project cannot bring that data back.",
    use_instead: `${INSTEAD[kind]} Or ask the user to run it, or to allow it with allow_commands in .hivemind/system/config.json.`,
    evidence: shorten(part, MAX_SHOWN),
  })
}

function effectLoss({ path, how, part }: Effect, input: DataLossInput): Finding | undefined {
  const { projectDir, userWork, probe } = input
  const isWhole = how === "removed recursively"
  const isRemoved = how === "removed" || isWhole
  const does = isRemoved ? "deletes" : "overwrites"
  if (path.includes(UNKNOWN)) {
    // unwrap.ts writes `**/*` for a `find … -delete` without `-name`.
    const isRecursive = isWhole || (isRemoved && path.endsWith("/**/*"))
    const isUnknown = isRecursive && !isBelowKnown(path, projectDir, probe.home)
    return isUnknown ? { kind: "unknown target", what: FINDING_TEXT["unknown target"], part } : undefined
  }
  if (how === "moved" || path.includes(NOT_EMPTY)) return undefined
  if (isAbsolutePath(path))
    return isOutsideLoss(path, isRemoved, probe)
      ? { kind: "outside", what: `${does} ${path}, which is outside of the project`, part }
      : undefined
  const left = userWork.leftOut.find((one) => covers(path, one, isWhole) || contains(one, path))
  if (left !== undefined && !isBuildOutput(left))
    return { kind: "left out", what: `${does} ${left}, which the snapshot left out`, part }
  const hit = how === "replaced" ? undefined : findUserFile([path], userWork.usersFiles, isWhole)
  if (hit === undefined) return undefined
  return { kind: "deleted file", what: `${does} ${hit}, which is the user's uncommitted work`, part }
}

/** Whether the path's known start is a folder that may be emptied: in the project, temporary, or a cache. */
function isBelowKnown(path: string, projectDir: string, home: string): boolean {
  const folder = path.slice(0, path.indexOf(UNKNOWN)).replace(/\/[^/]*$/, "")
  if (contains(projectDir, folder)) return folder !== projectDir
  return isTemporary(`${folder}/`) || isCache(`${folder}/x`, home)
}

function isOutsideLoss(path: string, isRemoved: boolean, probe: FileSystemProbe): boolean {
  if (isTemporary(path)) return probe.isOldRepository(path)
  if (isCache(path.replace(/\/\*+$/, ""), probe.home)) return false
  return (isRemoved && (isGlob(path) || contains(path, probe.home))) || probe.exists(path)
}

function discardLoss(discard: Discard, { projectDir, userWork, probe }: DataLossInput): Finding | undefined {
  const { what: kind, paths, part, isCertain } = discard
  const discards = (what: string): Finding => ({ kind: "discarded changes", what, part })
  const elsewhere = paths.find((path) => isAbsolutePath(path) && !contains(path, projectDir))
  if (elsewhere !== undefined && isCertain && isOutsideLoss(elsewhere, false, probe))
    return discards(`discards changes in ${elsewhere}, which is outside of the project`)
  const { isCovered, usersFiles, untracked = new Set(), ignored = new Set(), hasUsersStash } = userWork
  if (kind === "stash")
    return hasUsersStash || !isCovered ? { kind, what: "deletes stashes of the user", part } : undefined
  const isInKind = (file: string) => {
    if (kind === "tracked") return !untracked.has(file)
    if (userWork.untracked !== undefined && !untracked.has(file)) return false
    return ignored.has(file) ? kind !== "untracked" : kind !== "ignored" || userWork.ignored === undefined
  }
  const all = new Set([...usersFiles].filter(isInKind))
  const isWhole = paths.some((path) => path === "." || path === projectDir || contains(path, projectDir))
  const hit = isWhole ? [...all].find((file) => !isBuildOutput(file)) : findUserFile(paths, all, true)
  if (hit !== undefined) return discards(`discards the user's uncommitted work (${hit})`)
  const isHit = (one: string) => isWhole || paths.some((path) => covers(path, one, true))
  const left = kind === "tracked" ? undefined : userWork.leftOut.find(isHit)
  if (left !== undefined && !isBuildOutput(left))
    return { kind: "left out", what: `may delete ${left}, which the snapshot left out`, part }
  if (isCovered || !isCertain) return undefined
  return discards("discards uncommitted changes, and no snapshot covers this call")
}

function findUserFile(paths: readonly string[], files: ReadonlySet<string>, isWhole: boolean) {
  for (const path of paths) {
    if (files.has(path) && !isBuildOutput(path)) return path
    if (!isWhole && !isGlob(path)) continue
    for (const file of files) if (covers(path, file, isWhole) && !isBuildOutput(file)) return file
  }
  return undefined
}

/** Whether the path or pattern matches this file. With `isWhole`, a folder matches everything in it. */
function covers(pattern: string, file: string, isWhole: boolean): boolean {
  if (pattern === "." || pattern === "") return isWhole
  if (!isGlob(pattern)) return pattern === file || (isWhole && file.startsWith(`${pattern}/`))
  const matchesDots = pattern.includes("**")
  const match = ([first, ...rest]: readonly string[], names: readonly string[]): boolean => {
    if (first === undefined) return names.length === 0 || isWhole
    if (first === "**") return names.some((_, at) => match(rest, names.slice(at)))
    const [name, ...others] = names
    if (name === undefined) return false
    // As in a shell, `*` does not match names that begin with a dot.
    if (!matchesDots && name.startsWith(".") && !first.startsWith(".")) return false
    return segmentsMeet(first, name) && match(rest, others)
  }
  return match(pattern.split("/"), file.split("/"))
}

const OWN_WORK: ReadonlySet<FindingKind> = new Set(["discarded changes", "deleted file", "stash"])
const MAX_SHOWN = 160

const INSTEAD: Record<FindingKind, string> = {
  "force push": "Push to a new branch, or use --force-with-lease on your own branch.",
  "remote deletion": "Leave it on the remote, and tell the user that it can be deleted.",
  database: "Work on a temporary database, or make a backup first.",
  volume: "Remove only volumes that this session created, by name.",
  "cluster or cloud": "List the affected resources first (a dry run).",
  "disk or machine":
    "Use a file instead of a device, stop single processes by name, and leave the machine to the user.",
  "unread download": "Download it to a file, read it, then run it.",
  "fork bomb": "Start a fixed number of processes.",
  outside: "Work inside of the project or in a temporary folder.",
  "unknown target": "Name the folder instead of using a variable that may be empty.",
  "left out": "Move the file to another folder instead of deleting it.",
  "discarded changes": "Commit or stash those files first, or name only files that you changed yourself.",
  "deleted file": "Move the file to another folder, or commit it first.",
  stash: "Leave the stash where it is.",
}

/** The user's uncommitted work, and whether a snapshot covers the call. Paths are relative to the project. */
export interface UserWork {
  /** A snapshot was taken before this call, so that its changes to the project can be undone. */
  isCovered: boolean
  /** Uncommitted files, including ignored ones, whose content is still the same as when the session began. */
  usersFiles: ReadonlySet<string>
  /** Files that git does not track, which `git reset --hard` keeps. If not given, all count as tracked. */
  untracked?: ReadonlySet<string>
  /** The files that git ignores: `git clean` deletes them only with `-x` or `-X`. */
  ignored?: ReadonlySet<string>
  /** Files and folders that are not in the snapshot, for example because they are too large. */
  leftOut: readonly string[]
  hasUsersStash: boolean
}

export const NO_USER_WORK: UserWork = {
  isCovered: true,
  usersFiles: new Set(),
  leftOut: [],
  hasUsersStash: false,
}
