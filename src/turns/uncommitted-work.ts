import type { UserWork } from "../gate/data-loss.ts"
import { runGit } from "../project/git/run-git.ts"
import { forgetOldest } from "../shared/ids.ts"
import { findPrivateRepository } from "../snapshots/private-repository.ts"
import type { SessionStart } from "../snapshots/session-start.ts"
import type { Snapshots } from "../snapshots/snapshots.ts"
import type { WorktreeState } from "../snapshots/worktree-state.ts"

/** The user's work that is unchanged since the session began. */
export async function unchangedUserWork(
  snapshots: Snapshots,
  start: SessionStart,
  now: WorktreeState,
): Promise<UserWork> {
  const changes = await snapshots.changes(start.state, now)
  const inProject = (paths: readonly string[]) =>
    new Set(paths.flatMap((path) => (changes.has(path) ? [] : (snapshots.projectPath(path) ?? []))))
  const stashes = new Set(now.repository?.stashes.map(({ commit }) => commit))
  return {
    isCovered: true,
    usersFiles: inProject(Object.keys(start.uncommitted)),
    untracked: inProject([...start.untracked, ...start.ignored]),
    ignored: inProject(start.ignored),
    leftOut: now.leftOut.flatMap(({ path }) => snapshots.projectPath(path)?.replace(/\/$/, "") ?? []),
    hasUsersStash: start.state.repository?.stashes.some(({ commit }) => stashes.has(commit)) ?? false,
  }
}

/** Without snapshots: uncommitted files at the session's first call that are still uncommitted. */
export function gitChangesAtStart() {
  const starts = new Map<string, Promise<Listed>>()

  function begin(session: string, dir: string): Promise<Listed> {
    const known = starts.get(session) ?? listChanges(dir)
    starts.set(session, known)
    if (starts.size > MAX_SESSIONS) forgetOldest(starts)
    return known
  }

  return {
    begin,
    async atRisk(session: string, dir: string): Promise<UserWork> {
      const [then, now] = await Promise.all([begin(session, dir), listChanges(dir)])
      if (then === undefined || now === undefined) return NOT_COVERED
      const usersFiles = [...then.keys()].filter((path) => now.has(path))
      const untracked = usersFiles.filter((path) => then.get(path) === UNTRACKED)
      return {
        ...NOT_COVERED,
        isCovered: now.size === 0,
        usersFiles: new Set(usersFiles),
        untracked: new Set(untracked),
      }
    },
  }
}

/** Git status by path, relative to the project. Undefined if git fails. */
type Listed = Map<string, string> | undefined

async function listChanges(dir: string): Promise<Listed> {
  try {
    const args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", "."]
    const output = await runGit(dir, args, { timeoutMs: STATUS_MS })
    const { prefix } = findPrivateRepository(dir)
    const lines = output.toString("utf8").split("\0").filter(Boolean)
    return new Map(lines.map((line) => [line.slice(3 + prefix.length), line.slice(0, 2)]))
  } catch {
    return undefined // No git, no repository, or too slow.
  }
}

/** Nothing is known, and nothing could be restored. */
export const NOT_COVERED: UserWork = {
  isCovered: false,
  usersFiles: new Set(),
  leftOut: [],
  hasUsersStash: false,
}

const UNTRACKED = "??"
const STATUS_MS = 2000
const MAX_SESSIONS = 200
