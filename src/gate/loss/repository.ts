import { isMadeByName } from "../shell/made-files.ts"
import { askGit, type Changed, changesIn } from "./ask-git.ts"
import { ownStatOf, pathspecs } from "./on-disk.ts"

/** Commits are what is lost: another commit would not keep them. */
export const NOWHERE_ELSE = "commits that are nowhere else"

/** What is lost where a repository goes with its history. */
export async function repositoryLoss(path: string): Promise<string | undefined> {
  const changes = await changesIn(path, "normal")
  if (changes !== undefined && changes.length > 0)
    return `deletes a repository with changes in no commit (${path})`
  if (await isLinkedWorktree(path)) return undefined
  const unpushed = await askGit(path, ["log", "-1", "--format=%h", "--branches", "--not", "--remotes"])
  return unpushed === undefined || unpushed === ""
    ? undefined
    : `deletes a repository with ${NOWHERE_ELSE} (${path})`
}

/** A folder that git does not know is taken apart, unless by its name a build makes it: each file has its own writer. */
export async function changesWithin(
  repository: string,
  specs: readonly string[],
): Promise<Changed[] | undefined> {
  const changes = await changesIn(repository, "normal", specs)
  const isOpen = ({ path }: Changed) => path.endsWith("/") && !isMadeByName(path)
  const folders = changes?.filter(isOpen) ?? []
  if (changes === undefined || folders.length === 0) return changes
  const inside = await changesIn(
    repository,
    "all",
    folders.flatMap(({ path }) => pathspecs(path, true)),
  )
  return [...changes.filter((change) => !isOpen(change)), ...(inside ?? folders)]
}

/** Its branches are kept in the repository that it belongs to. */
async function isLinkedWorktree(path: string): Promise<boolean> {
  if (ownStatOf(`${path}/.git`)?.isFile() !== true) return false
  const kept = await askGit(path, ["rev-parse", "--path-format=absolute", "--git-common-dir"])
  return kept !== undefined && !kept.startsWith(`${path}/`)
}
