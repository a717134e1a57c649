/** The kind of a command, which checkpoints record. Type checks and linters count as builds; `read` only looks. */
export type CommandKind = "test" | "build" | "git" | "write" | "read" | "other"

/** A file or folder that a command deletes or writes over. The path is absolute and may be a pattern. */
export interface Effect {
  readonly path: string
  readonly part: string
  /** `removed recursively`: with all that is in it; `replaced`: gets another content; `moved over`: by another file. */
  readonly how: "removed" | "removed recursively" | "replaced" | "moved" | "moved over"
}

/** A git command that discards uncommitted changes. `paths`: absolute; a folder for all files, or the stashes, there. */
export interface Discard {
  readonly what: "tracked" | "untracked" | "ignored" | "untracked and ignored" | "stash"
  readonly paths: readonly string[]
  readonly part: string
  /** False where the paths may be the name of a branch: `git checkout x`. */
  readonly isCertain: boolean
}

export interface CommandReading {
  readonly kind: CommandKind
  /**
   * The paths that it writes, deletes or moves: relative to the project inside it, absolute outside. A folder means something
   * in it, a pattern (`src/*.ts`) all its matches, UNKNOWN_PATH a path that cannot be known.
   */
  readonly writes: readonly string[]
  readonly effects: readonly Effect[]
  readonly discards: readonly Discard[]
  readonly findings: readonly Finding[]
  /** It writes, deletes or moves something under `.hivemind/`, which only HiveMind may do. */
  readonly touchesHive: boolean
}

/** A call that names more files is refused: looking at all of them takes long. */
export const MAX_WRITTEN_FILES = 1000

/** Why a command is refused, judged by its text alone. The kind says what the user would have to ask for. */
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
  "left out": "deletes or overwrites files that the snapshot left out",
  "discarded changes": "discards the user's uncommitted changes",
  "deleted file": "deletes the user's uncommitted work",
  stash: "deletes stashes of the user",
} as const
export type FindingKind = keyof typeof FINDING_TEXT
