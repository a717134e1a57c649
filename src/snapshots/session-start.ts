import { createHash } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { GitFailure } from "../project/git/run-git.ts"
import { filesOfTree } from "./compare.ts"
import { type PrivateRepository, readObjects, runUserGit } from "./private-repository.ts"
import { indexFile, splitByZero } from "./tracked-and-untracked-files.ts"
import { leftOutContent, type WorktreeState, worktreeState } from "./worktree-state.ts"

const sessionStart = z.strictObject({
  session: z.string(),
  at: z.string(),
  state: worktreeState,
  /** The content of files that are in no commit, by path relative to the top: a blob, or `leftOutContent`. */
  uncommitted: z.record(z.string(), z.string()),
  /** Those of them that git does not track, and those that it ignores. */
  untracked: z.array(z.string()),
  ignored: z.array(z.string()),
})

/** The work tree as it was when a session began. */
export type SessionStart = z.infer<typeof sessionStart>

/** Undefined where the session was not seen to begin in this work tree. It outlives the host's process. */
export function readSessionStart(repository: PrivateRepository, session: string): SessionStart | undefined {
  try {
    return sessionStart.parse(JSON.parse(readFileSync(fileOf(repository, session), "utf8")))
  } catch {
    return undefined // None, or written by another version.
  }
}

/**
 * A folder whose files are in our index may have become a repository since. Git does not say so for our index, but for the
 * user's. Then the index is made anew by `retake`, so that the folder is kept with its `.git`.
 */
export async function noteSessionStart(
  repository: PrivateRepository,
  session: string,
  at: string,
  state: WorktreeState,
  retake?: () => Promise<WorktreeState>,
): Promise<SessionStart> {
  const { hasNewRepository, ...found } = await findUncommitted(repository, state)
  if (hasNewRepository && retake !== undefined) {
    rmSync(indexFile(repository), { force: true })
    return noteSessionStart(repository, session, at, await retake())
  }
  const start = { session, at, state, ...found }
  const file = fileOf(repository, session)
  writeFileSync(`${file}.new`, JSON.stringify(start))
  renameSync(`${file}.new`, file)
  return start
}

/** Without a repository that is every file. */
async function findUncommitted(
  repository: PrivateRepository,
  state: WorktreeState,
): Promise<Pick<SessionStart, "uncommitted" | "untracked" | "ignored"> & { hasNewRepository: boolean }> {
  const [files, others] = await Promise.all([
    filesOfTree(repository, state.files, false),
    filesOfTree(repository, state.ignoredAndNested, true),
  ])
  const all = () => [...files.keys()].map((path) => ({ path, isUntracked: true }))
  const changed = state.repository === null ? all() : await listUncommitted(repository)
  const uncommitted: Record<string, string> = {}
  const leftOut = new Map(state.leftOut.map((each) => [each.path, each]))
  for (const { path } of changed.slice(0, MAX_FILES)) {
    const large = leftOut.get(path)
    const content = files.get(path)?.after?.oid ?? (large && leftOutContent(large))
    if (content !== undefined) uncommitted[path] = content
  }
  for (const [path, { after }] of others) if (after !== null) uncommitted[path] = after.oid
  for (const each of state.leftOut) if (each.isIgnored === true) uncommitted[each.path] = leftOutContent(each)
  const untracked = changed.filter(({ isUntracked }) => isUntracked).map(({ path }) => path)
  const repositories = untracked.filter((path) => path.endsWith("/"))
  const folders = await readObjects(
    repository,
    repositories.map((path) => `${state.files}:${path}`),
  )
  const hasNewRepository = folders.some((folder) => folder !== undefined)
  const listed = { untracked: untracked.slice(0, MAX_FILES), ignored: [...others.keys()] }
  return { uncommitted, ...listed, hasNewRepository }
}

async function listUncommitted(repository: PrivateRepository) {
  const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]
  try {
    return [...splitByZero(await runUserGit(repository, args))].map((line) => ({
      path: line.slice(3),
      isUntracked: line.startsWith("??"),
    }))
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    return [] // Too slow, or locked: then only ignored files are known to be the user's.
  }
}

function fileOf({ dir, worktree }: PrivateRepository, session: string): string {
  const name = createHash("sha256").update(`${worktree} ${session}`).digest("hex").slice(0, 32)
  return join(dir, "sessions", `${name}.json`)
}

const MAX_FILES = 20_000
