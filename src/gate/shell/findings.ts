/** Why a command is refused, as its text alone tells. The kind says what the user would have to ask for. */
export interface Finding {
  readonly kind: FindingKind
  readonly what: string
  /** The part of the command that does it, as it was written. */
  readonly part: string
}

/** The effect of each kind, as a refusal words it. */
export const FINDING_TEXT = {
  "force push": "overwrites a branch on the remote (force push)",
  "remote deletion": "deletes something on the remote",
  database: "deletes data in a database",
  volume: "deletes data of containers",
  "cluster or cloud": "deletes from a cluster or a cloud",
  "disk or machine": "erases a disk, turns the machine off, or ends all processes",
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
