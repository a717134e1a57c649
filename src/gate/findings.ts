/** Why a command is refused, as its text alone tells. The kind says what the user would have to ask for. */
export interface Finding {
  readonly kind: FindingKind
  readonly what: string
  /** The part of the command that does it, as it was written. */
  readonly part: string
}

/** What each kind does, in words for a refusal. */
export const FINDING_TEXT = {
  "force push": "overwrites a branch on the remote (force push)",
  "remote deletion": "deletes something on the remote",
  database: "deletes data in a database",
  volume: "deletes data of containers",
  "cluster or cloud": "deletes from a cluster or a cloud",
  "disk or machine": "erases a disk, or ends the machine or all of its processes",
  "unread download": "runs a download that was not read",
  "fork bomb": "starts processes without end",
  outside: "deletes or overwrites something outside of the project",
  "unknown target": "deletes a folder whose path is not known",
  "left out": "deletes or overwrites what the snapshot left out",
  "discarded changes": "discards the user's uncommitted changes",
  "deleted file": "deletes the user's uncommitted work",
  stash: "deletes stashes of the user",
} as const
export type FindingKind = keyof typeof FINDING_TEXT

/** What a refusal advises for each kind. */
export const INSTEAD: Record<FindingKind, string> = {
  "force push": "Push to a new branch, or use --force-with-lease on your own branch.",
  "remote deletion": "Leave it on the remote and report that it can go.",
  database: "Work on a temporary database, or make a backup first.",
  volume: "Remove only what this session created, by its name.",
  "cluster or cloud": "Show what would be deleted (a dry run).",
  "disk or machine": "Work on a file or on one process by its name.",
  "unread download": "Download it to a file, read it, then run it.",
  "fork bomb": "Start a fixed number of processes.",
  outside: "Work inside of the project or in a temporary folder.",
  "unknown target": "Name the folder instead of using a variable that may be empty.",
  "left out": "Move it aside instead of deleting it.",
  "discarded changes": "Commit or stash those files first, or name only files that you changed yourself.",
  "deleted file": "Move it aside, or commit it first.",
  stash: "Leave the stash where it is.",
}
