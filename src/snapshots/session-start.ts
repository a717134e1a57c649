import { createHash } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { GitFailure } from "../project/git/run-git.ts"
import { orUndefined } from "../shared/lenient-files.ts"
import { filesOfTree } from "./compare.ts"
import { type PrivateRepository, readObjects, runUserGit } from "./private-repository.ts"
import { indexFile, splitByZero } from "./tracked-and-untracked-files.ts"
import { leftOutContent, type WorktreeState, worktreeState } from "./worktree-state.ts"

const sessionStart = z.strictObject({
  session: z.string(),
  at: z.string(),
  state: worktreeState,
  /** Uncommitted files, by path relative to the top, each with the id of its blob or its `leftOutContent`. */
  uncommitted: z.record(z.string(), z.string()),
  /** The uncommitted files that git does not track, and those that it ignores. */
  untracked: z.array(z.string()),
  ignored: z.array(z.string()),
})

export type SessionStart = z.infer<typeof sessionStart>

/** Reads the saved state at a session's start; undefined if there is none for this work tree. */
export function readSessionStart(repository: PrivateRepository, session: string): SessionStart | undefined {
  // Reading fails if the file is missing, or written by another version.
  return orUndefined(() => sessionStart.parse(JSON.parse(readFileSync(fileOf(repository, session), "utf8"))))
}

/** Saves the state at a session's start. If it contains files of a new nested repository, takes the snapshot again first. */
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

/** Finds the files whose content is in no commit. Without a repository these are all files. */
async function findUncommitted(repository: PrivateRepository, state: WorktreeState) {
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
  const repositories = untracked.filter((path) => path.endsWith("/")).map((path) => `${state.files}:${path}`)
  const folders = await readObjects(repository, repositories)
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
    return [] // If git is too slow or locked, only ignored files are known to be the user's.
  }
}

function fileOf({ dir, worktree }: PrivateRepository, session: string): string {
  const name = createHash("sha256").update(`${worktree} ${session}`).digest("hex").slice(0, 32)
  return join(dir, "sessions", `${name}.json`)
}

const MAX_FILES = 20_000
