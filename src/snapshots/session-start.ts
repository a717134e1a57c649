import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { GitFailure } from "../project/git/run-git.ts"
import { entriesOf } from "./compare.ts"
import { namesIn } from "./files-tree.ts"
import { askUser, type PrivateRepository } from "./private-repository.ts"
import { type TreeState, treeState } from "./state.ts"

const sessionStart = z.strictObject({
  session: z.string(),
  at: z.string(),
  state: treeState,
  /** The user's own work: the content of files that are in no commit, by path, relative to the top. */
  users: z.record(z.string(), z.string()),
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

export async function noteSessionStart(
  repository: PrivateRepository,
  session: string,
  at: string,
  state: TreeState,
): Promise<SessionStart> {
  const start = { session, at, state, ...(await usersWork(repository, state)) }
  const file = fileOf(repository, session)
  writeFileSync(`${file}.new`, JSON.stringify(start))
  renameSync(`${file}.new`, file)
  return start
}

/** Without a repository that is every file. */
async function usersWork(
  repository: PrivateRepository,
  state: TreeState,
): Promise<Pick<SessionStart, "users" | "untracked" | "ignored">> {
  const [files, extra] = await Promise.all([
    entriesOf(repository, state.files, false),
    entriesOf(repository, state.extra, true),
  ])
  const changed =
    state.repository === null ? [...files.keys()].map(asUntracked) : await uncommitted(repository)
  const users: Record<string, string> = {}
  for (const { path } of changed.slice(0, MAX_FILES)) {
    const entry = files.get(path)
    if (entry !== undefined) users[path] = entry.oid
  }
  for (const [path, { oid }] of extra) users[path] = oid
  const untracked = changed.filter(({ isUntracked }) => isUntracked).map(({ path }) => path)
  return { users, untracked: untracked.slice(0, MAX_FILES), ignored: [...extra.keys()] }
}

function asUntracked(path: string) {
  return { path, isUntracked: true }
}

async function uncommitted(repository: PrivateRepository) {
  const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]
  try {
    return [...namesIn(await askUser(repository, args))].map((line) => ({
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
