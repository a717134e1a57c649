import { posix } from "node:path"
import { isGlob } from "../../shared/glob.ts"
import type { Question } from "../shell/judgement.ts"
import { isMadeByName } from "../shell/made-files.ts"
import { askGit, changesIn } from "./ask-git.ts"
import { described } from "./described.ts"
import { isFolder, real, repositoryOf } from "./on-disk.ts"
import type { Answer, LossPlace } from "./what-is-lost.ts"

/** git puts every file back: whatever is in no commit is lost, this session's own work too. */
export async function treeLoss(
  cwd: string,
  untracked: "no" | "normal",
  paths: readonly string[] = [],
): Promise<Answer> {
  const changes = await changesIn(cwd, untracked, paths)
  const lost = changes?.filter(({ index, path }) => index !== "?" || !isMadeByName(path)) ?? []
  if (lost.length === 0) return undefined
  return { what: `throws changes away that are in no commit (${described(lost.map(({ path }) => path))})` }
}

/**
 * git puts some files back. A file by its name may go back where its changes are this session's own; of a folder or a
 * pattern nobody has said which files are meant.
 */
export async function restoreLoss(
  { cwd, words, isPaths }: Extract<Question, { ask: "restored" }>,
  { project, isOwn }: LossPlace,
): Promise<Answer> {
  const paths = isPaths ? words : await pathsIn(cwd, words)
  if (paths.length === 0) return undefined
  const top = (await askGit(cwd, ["rev-parse", "--show-toplevel"]))?.trim()
  if (top === undefined) return undefined
  // What another repository looked like before, nobody has noted.
  const isNoted = top === repositoryOf(project)
  const root = real(project) ?? project
  const isMany = (path: string) => isGlob(path) || path.startsWith(":") || isFolder(posix.resolve(cwd, path))
  const lost = await changedIn(cwd, paths.filter(isMany))
  for (const changed of await changedIn(
    cwd,
    paths.filter((path) => !isMany(path)),
  ))
    if (!isNoted || !(await isOwn(posix.relative(root, posix.join(top, changed))))) lost.push(changed)
  if (lost.length === 0) return undefined
  return { what: `throws changes away that are in no commit (${described(lost)})` }
}

/** git is asked once, however many they are; where it does not take one of them, about all there is. */
async function changedIn(cwd: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const changes = (await changesIn(cwd, "no", paths)) ?? (await changesIn(cwd, "no")) ?? []
  return changes.map(({ path }) => path)
}

/** The first word may be a commit: then only the others are paths, and alone it is a change of branches. */
async function pathsIn(cwd: string, words: readonly string[]): Promise<readonly string[]> {
  const [first = ""] = words
  const isCommit =
    first === "-" ||
    (await askGit(cwd, ["rev-parse", "--quiet", "--verify", "--end-of-options", `${first}^{tree}`])) !==
      undefined
  return isCommit ? words.slice(1) : words
}
