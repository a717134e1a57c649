import { posix } from "node:path"
import { isGlob } from "../../shared/glob.ts"
import type { Loss, Question } from "../shell/judgement.ts"
import { isCache, isInstalled, isMadeByName, isTemporary } from "../shell/made-files.ts"
import { askGit, type Changed, changesIn } from "./ask-git.ts"
import { described } from "./described.ts"
import { filesHit, type Hit } from "./files-hit.ts"
import { notInGit } from "./in-git.ts"
import { isThere, ownStatOf, pathspecs, real, repositoryAround, repositoryOf, statOf } from "./on-disk.ts"
import { temporaryRepository } from "./temporary.ts"
import type { LossPlace, Lost } from "./what-is-lost.ts"

/** Which of the files that get another text hold one that git does not have, and that is not this session's own. */
export async function replacementLoss(losses: readonly Loss[], place: LossPlace): Promise<Lost | undefined> {
  const project = real(place.project) ?? place.project
  const byRepository = new Map<string, Target[]>()
  for (const { question, part } of losses) {
    const target = question.ask === "replaced" ? targetOf(question, part) : undefined
    if (target === undefined) continue
    if (!`${target.path}/`.startsWith(`${project}/`)) {
      const lost = await lostOutside(target, place)
      if (lost !== undefined) return lost
      continue
    }
    const repository = repositoryAround(target.folder) ?? place.project
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), target])
  }
  for (const [repository, targets] of byRepository) {
    const lost = await lostIn(repository, targets, project, place)
    if (lost !== undefined) return lost
  }
  return undefined
}

/** Files that are there now, under links resolved; `path` may be a pattern. */
interface Target extends Hit {
  folder: string
  only: "tracked" | "untracked" | undefined
  part: string
}

function targetOf(question: Extract<Question, { ask: "replaced" }>, part: string): Target | undefined {
  const { path, from, into, replacesLinks, only, isBack } = question
  if (isBack && from !== null && !isThere(from)) return undefined
  const segments = path.split("/")
  const fixed = segments.findIndex(isGlob)
  if (fixed !== -1) {
    const folder = real(segments.slice(0, fixed).join("/") || "/")
    if (folder === undefined) return undefined
    // One file goes to each of them; of several, each to its own name.
    const source = from === null || !isGlob(from) ? null : posix.dirname(from)
    const isMadeNow = source !== null && isNotThere(source)
    const depth = segments.length - fixed
    const hits = (file: string) => {
      const below = posix.relative(folder, file)
      // `mv` does not put a folder over another one.
      if (replacesLinks && (below.split("/").length > depth || statOf(file)?.isDirectory())) return false
      return source === null || isMadeNow || isGlob(source) || isThere(posix.join(source, below))
    }
    return { path: posix.join(folder, ...segments.slice(fixed)), folder, isMany: true, only, hits, part }
  }
  const found = statOf(path)
  if (found === undefined || (replacesLinks && isLink(path) && !found.isDirectory())) return undefined
  if (found.isDirectory() && into !== null)
    return targetOf({ ...question, path: posix.join(path, into), into: null }, part)
  const file = real(path)
  if (file === undefined) return undefined
  if (!found.isDirectory()) {
    const hits = (one: string) => one === file
    return { path: file, folder: posix.dirname(file), isMany: false, only, hits, part }
  }
  // A folder over a folder: what both have.
  if (from === null || replacesLinks) return undefined
  const isMadeNow = isNotThere(from)
  const hits = (one: string) => isMadeNow || isThere(posix.join(from, posix.relative(file, one)))
  return { path: file, folder: file, isMany: true, only, hits, part }
}

async function lostIn(
  repository: string,
  targets: readonly Target[],
  project: string,
  { isOwn, isTaken }: LossPlace,
): Promise<Lost | undefined> {
  const top = real(repository) ?? repository
  const specs = targets.flatMap(({ path, isMany }) => pathspecs(posix.relative(top, path), isMany))
  const changes = await changesIn(repository, "all", specs)
  if (changes === undefined) return untold(targets, project, isOwn)
  const asked = new Map<string, string>()
  for (const { index, path } of changes) {
    const file = posix.join(top, path)
    const inProject = posix.relative(project, file)
    const target = targets.find(({ hits }) => hits(file))
    if (target === undefined) continue
    if (index === "?" && isMadeByName(inProject) && !(await isTaken(inProject))) continue
    if (target.only !== undefined && (index === "?") === (target.only === "tracked")) continue
    // What another repository looked like before, nobody has noted.
    if (top !== repositoryOf(project) || !(await isOwn(inProject))) asked.set(file, target.part)
  }
  const lost = await notInGit(repository, [...asked.keys()])
  const [first] = lost
  if (first === undefined) return undefined
  const names = lost.map((file) => posix.relative(project, file))
  return replaced(names, "in no commit", asked.get(first) ?? "")
}

/** Without git only what a build makes, or this session has made, may be replaced. */
async function untold(
  targets: readonly Target[],
  project: string,
  isOwn: LossPlace["isOwn"],
): Promise<Lost | undefined> {
  for (const target of targets) {
    if (isMadeByName(posix.relative(project, target.path)) || target.only === "tracked") continue
    for await (const file of filesHit(target)) {
      if (file === null) return tooMany(target)
      const inProject = posix.relative(project, file)
      if (isMadeByName(inProject) || statOf(file)?.size === 0 || (await isOwn(inProject))) continue
      return replaced([inProject], "which no git has a copy of", target.part)
    }
  }
  return undefined
}

/** Installed programs and caches are made from something else; a file of this session's time may be its own. */
async function lostOutside(target: Target, { home, isYoung }: LossPlace): Promise<Lost | undefined> {
  const { path, folder, part } = target
  if (isCache(path, home) || isInstalled(path, home)) return undefined
  if (isTemporary(path) && temporaryRepository(folder, isYoung) === undefined) return undefined
  if (/^\/(proc|sys|dev)\//.test(path)) return undefined
  const files: string[] = []
  for await (const file of filesHit(target)) {
    if (file === null || files.length >= MAX_ASKED) return tooMany(target)
    const found = statOf(file)
    if (found?.isFile() && found.size > 0 && !isYoung(file)) files.push(file)
  }
  const [first] = files
  if (first === undefined) return undefined
  const names = files.map((file) => `:(literal)${posix.relative(folder, file)}`)
  const changes = await changesIn(folder, "all", names)
  if (changes === undefined) return replaced([first], "which is outside of the project", part)
  const top = (await askGit(folder, ["rev-parse", "--show-toplevel"]))?.trim() ?? folder
  const isWork = ({ index, path: name }: Changed) =>
    index !== "?" || !isTemporary(path) || !isMadeByName(name)
  const lost = await notInGit(
    folder,
    changes.filter(isWork).map((changed) => posix.join(top, changed.path)),
  )
  return lost.length === 0 ? undefined : replaced(lost, "which is outside of the project", part)
}

function tooMany({ path, part }: Target): Lost {
  return { what: `replaces more in ${path} than can be looked at`, part, isHive: false }
}

function replaced(files: readonly string[], why: string, part: string): Lost {
  return { what: `replaces what is in ${described(files)}, ${why}`, part, isHive: false }
}

/** The command itself makes it: what will be in there nobody knows. */
function isNotThere(folder: string): boolean {
  return !isGlob(folder) && real(folder) === undefined
}

function isLink(path: string): boolean {
  return ownStatOf(path)?.isSymbolicLink() ?? false
}

const MAX_ASKED = 500
