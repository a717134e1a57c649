/** The user's uncommitted work, and whether a snapshot covers the call. Paths are relative to the project. */
export interface UserWork {
  /** Whether a snapshot was taken before this call, so that what it does to the project can be undone. */
  isCovered: boolean
  /** Files with uncommitted content that was there when the session began and is still the same. Ignored files such as `.env` are among them. */
  usersFiles: ReadonlySet<string>
  /** Those of them that git does not track: `git reset --hard` leaves them alone, `git clean` deletes them. Not given: all count as tracked. */
  untracked?: ReadonlySet<string>
  /** Those of the untracked that git ignores: `git clean` deletes them only with `-x` or `-X`. */
  ignored?: ReadonlySet<string>
  /** Files and folders that the snapshot left out: too large, unreadable, nested repositories beyond the limits. */
  leftOut: readonly string[]
  /** Whether the user had stashes when the session began that are still there. */
  hasUsersStash: boolean
}

/** A clean work tree, covered by a snapshot. */
export const NO_USER_WORK: UserWork = {
  isCovered: true,
  usersFiles: new Set(),
  leftOut: [],
  hasUsersStash: false,
}
