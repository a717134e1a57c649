import { isGlob, segmentsMeet } from "../shared/glob.ts"
import type { AtRisk } from "./at-risk.ts"
import type { GateCall } from "./call.ts"
import { type Discard, type Effect, type Finding, WHAT } from "./shell/command-reading.ts"
import { NOT_EMPTY, UNKNOWN } from "./shell/expand-word.ts"
import { contains, isCache, isMadeByName, isTemporary } from "./shell/paths.ts"

/** What the file system outside of the project is asked; paths are absolute. */
export interface Outside {
  home: string
  isThere: (path: string) => boolean
  /** Does it lie in, or contain, a repository in a temporary folder that was there before the session? */
  isOldRepository: (path: string) => boolean
}

/** Everything for which a call is refused because it could not be undone, or would hit the user's uncommitted work. */
export function lossesOf(call: GateCall, projectDir: string, atRisk: AtRisk, outside: Outside): Finding[] {
  return [
    ...(call.shell?.findings ?? []),
    ...call.effects.flatMap((effect) => effectLoss(effect, projectDir, atRisk, outside) ?? []),
    ...call.discards.flatMap((discard) => discardLoss(discard, projectDir, atRisk) ?? []),
  ]
}

function effectLoss(
  effect: Effect,
  projectDir: string,
  atRisk: AtRisk,
  outside: Outside,
): Finding | undefined {
  const { path, how, part } = effect
  const isRemoved = how === "removed" || how === "removed whole"
  const does = isRemoved ? "deletes" : "overwrites"
  if (path.includes(UNKNOWN)) {
    // `**/*` is all that `find` finds.
    const isRecursive = how === "removed whole" || (isRemoved && path.endsWith("/**/*"))
    const isUnknown = isRecursive && !isBelowKnown(path, projectDir, outside.home)
    return isUnknown ? { kind: "unknown target", what: WHAT["unknown target"], part } : undefined
  }
  if (how === "moved" || path.includes(NOT_EMPTY)) return undefined
  if (path.startsWith("/"))
    return isOutsideLoss(path, isRemoved, outside)
      ? { kind: "outside", what: `${does} ${path}, which is outside of the project`, part }
      : undefined
  const left = atRisk.leftOut.find((one) => covers(path, one, how === "removed whole") || contains(one, path))
  if (left !== undefined && !isMadeByName(left))
    return { kind: "left out", what: `${does} ${left}, which the snapshot left out`, part }
  if (how === "replaced") return undefined
  const hit = usersHits([path], atRisk.usersFiles, how === "removed whole")
  if (hit === undefined) return undefined
  return { kind: "deleted file", what: `${does} ${hit}, which is the user's uncommitted work`, part }
}

/** The folder that an unknown name is in: anything in it may go where it is a part of the project, or temporary. */
function isBelowKnown(path: string, projectDir: string, home: string): boolean {
  const folder = path.slice(0, path.indexOf(UNKNOWN)).replace(/\/[^/]*$/, "")
  if (contains(projectDir, folder)) return folder !== projectDir
  return isTemporary(`${folder}/`) || isCache(`${folder}/x`, home)
}

function isOutsideLoss(
  path: string,
  isRemoved: boolean,
  { home, isThere, isOldRepository }: Outside,
): boolean {
  if (isTemporary(path)) return isOldRepository(path)
  if (isCache(path.replace(/\/\*+$/, ""), home)) return false
  return (isRemoved && (isGlob(path) || contains(path, home))) || isThere(path)
}

function discardLoss(
  { what, paths, part, isCertain }: Discard,
  projectDir: string,
  atRisk: AtRisk,
): Finding | undefined {
  const { isCovered, usersFiles, untracked = new Set(), ignored = new Set(), hasUsersStash } = atRisk
  if (what === "stash")
    return hasUsersStash || !isCovered
      ? { kind: "stash", what: "deletes stashes of the user", part }
      : undefined
  const isMeant = (file: string) => {
    if (what === "tracked") return !untracked.has(file)
    if (atRisk.untracked !== undefined && !untracked.has(file)) return false
    return ignored.has(file) ? what !== "untracked" : what !== "ignored" || atRisk.ignored === undefined
  }
  const all = new Set([...usersFiles].filter(isMeant))
  const isWhole = paths.some((path) => path === "." || path === projectDir || contains(path, projectDir))
  const hit = isWhole ? [...all].find((file) => !isMadeByName(file)) : usersHits(paths, all, true)
  if (hit !== undefined)
    return { kind: "discarded changes", what: `discards the user's uncommitted work (${hit})`, part }
  const left =
    what === "tracked"
      ? undefined
      : atRisk.leftOut.find((one) => isWhole || paths.some((path) => covers(path, one, true)))
  if (left !== undefined && !isMadeByName(left))
    return { kind: "left out", what: `may delete ${left}, which the snapshot left out`, part }
  return isCovered || !isCertain
    ? undefined
    : {
        kind: "discarded changes",
        what: "discards uncommitted changes, and no snapshot covers this call",
        part,
      }
}

/** A file of the user's among these that one of the paths means; what a build makes again does not count. */
function usersHits(paths: readonly string[], files: ReadonlySet<string>, whole: boolean): string | undefined {
  for (const path of paths) {
    if (files.has(path) && !isMadeByName(path)) return path
    if (!whole && !isGlob(path)) continue
    for (const file of files) if (covers(path, file, whole) && !isMadeByName(file)) return file
  }
  return undefined
}

/** Does the path or pattern mean this file? `whole`: a folder means everything in it. */
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
  // `*` does not mean names that begin with a dot.
  if (!dots && name.startsWith(".") && !first.startsWith(".")) return false
  return segmentsMeet(first, name) && segmentsCover(rest, others, whole, dots)
}
