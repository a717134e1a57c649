import type { UserWork } from "../gate/data-loss.ts"
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

/** Nothing is known, and nothing could be restored. */
export const NOT_COVERED: UserWork = {
  isCovered: false,
  usersFiles: new Set(),
  leftOut: [],
  hasUsersStash: false,
}
