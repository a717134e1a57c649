import { posix } from "node:path"
import { isGlob } from "../../shared/glob.ts"
import type { Loss } from "../shell/judgement.ts"
import { isMadeByName, isTemporary } from "../shell/made-files.ts"
import { described, MAX_NAMED } from "./described.ts"
import { filesHit } from "./files-hit.ts"
import { isFolder, isThere, pathspecs, real, repositoryAround, repositoryOf } from "./on-disk.ts"
import { changesWithin, repositoryLoss } from "./repository.ts"
import { temporaryLoss } from "./temporary.ts"
import type { LossPlace, Lost } from "./what-is-lost.ts"

/** What of the deleted files is in no commit, cannot be made again, and is not this session's own. */
export async function removalLoss(losses: readonly Loss[], place: LossPlace): Promise<Lost | undefined> {
  const project = real(place.project) ?? place.project
  const byRepository = new Map<string, Removal[]>()
  for (const loss of losses) {
    const found = await locate(loss, project, place)
    if (found === undefined) continue
    if ("what" in found) return found
    byRepository.set(found.repository, [...(byRepository.get(found.repository) ?? []), found])
  }
  for (const [repository, removals] of byRepository) {
    const lost = await lostIn(repository, removals, project, place)
    if (lost !== undefined) return lost
  }
  return undefined
}

interface Removal {
  /** With links resolved, but for the last name: deleting a link leaves what it leads to. */
  path: string
  whole: boolean
  isMade: boolean
  only: "tracked" | "untracked" | undefined
  part: string
  repository: string
}

/** Where the path really is, and which repository knows about it; undefined where there is nothing. */
async function locate(
  { question, part }: Loss,
  project: string,
  { project: spelled, isYoung }: LossPlace,
): Promise<Removal | Lost | undefined> {
  if (question.ask !== "removed") return undefined
  const { whole, isMade, only } = question
  const segments = question.path.split("/")
  const fixed = segments.findIndex(isGlob)
  const folder = segments.slice(0, fixed === -1 ? -1 : fixed).join("/") || "/"
  const realFolder = real(folder)
  // Not there: there is nothing to lose, or it is made by this very command.
  if (realFolder === undefined) return undefined
  const path = posix.join(realFolder, ...segments.slice(fixed === -1 ? -1 : fixed))
  if (fixed === -1 && !isThere(path)) return undefined
  if (!path.startsWith(`${project}/`)) {
    if (isTemporary(path)) {
      const what = await temporaryLoss(path, whole, isYoung)
      return what === undefined ? undefined : { what, part, isHive: false }
    }
    const isLinked = `${question.path}/`.startsWith(`${spelled}/`)
    const why = isLinked ? "where a link in the project leads" : "which is outside of the project"
    return { what: `deletes ${path}, ${why}`, part, isHive: false }
  }
  if (fixed === -1 && isThere(`${path}/.git`) && !isMade) {
    const what = await repositoryLoss(path)
    if (what !== undefined) return { what, part, isHive: false }
  }
  return { path, whole, isMade, only, part, repository: repositoryAround(realFolder) ?? spelled }
}

async function lostIn(
  repository: string,
  removals: readonly Removal[],
  project: string,
  place: LossPlace,
): Promise<Lost | undefined> {
  const top = real(repository) ?? repository
  // What another repository looked like before, nobody has noted.
  const isOwn = top === repositoryOf(project) ? place.isOwn : async () => false
  const specs = removals.flatMap(({ path, whole }) => pathspecs(posix.relative(top, path), whole))
  // Several kinds in one command: then all of it counts.
  const only = removals.every((one) => one.only === removals[0]?.only) ? removals[0]?.only : undefined
  const changes = await changesWithin(repository, specs)
  if (changes === undefined) return untold(removals, project, isOwn)
  const lost: string[] = []
  for (const { index, path } of changes) {
    const inProject = posix.relative(project, posix.join(top, path))
    const isUntracked = index === "?"
    if (isUntracked && isMadeByName(inProject) && !(await place.isTaken(inProject))) continue
    if (only !== undefined && isUntracked === (only === "tracked")) continue
    if (!(await isOwn(inProject))) lost.push(inProject)
    if (lost.length > MAX_NAMED) break
  }
  if (lost.length === 0) return undefined
  return { what: `deletes ${described(lost)}, in no commit`, part: removals[0]?.part ?? "", isHive: false }
}

/** Without git nobody can tell: only what a build makes, or this session has made, may go. */
async function untold(
  removals: readonly Removal[],
  project: string,
  isOwn: LossPlace["isOwn"],
): Promise<Lost | undefined> {
  for (const { path, isMade, part } of removals) {
    const inProject = posix.relative(project, path)
    if (isMade || (await isAllOwn(path, project, isOwn))) continue
    return { what: `deletes ${inProject}, which no git has a copy of`, part, isHive: false }
  }
  return undefined
}

/** Of a folder or a pattern it must be every file; of too many nobody knows. */
async function isAllOwn(path: string, project: string, isOwn: LossPlace["isOwn"]): Promise<boolean> {
  const isMany = isGlob(path) || isFolder(path)
  for await (const file of filesHit({ path, isMany, hits: () => true })) {
    const inProject = file === null ? null : posix.relative(project, file)
    if (inProject === null || !(isMadeByName(inProject) || (await isOwn(inProject)))) return false
  }
  return true
}
