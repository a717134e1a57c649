/** The kind of a command, which checkpoints record. Type checks and linters count as builds. */
export type CommandKind = "test" | "build" | "git" | "write" | "read" | "other"

/** A file or folder that a command deletes, moves or overwrites. The path is absolute and may be a glob. */
export interface Effect {
  readonly path: string
  readonly part: string
  /** `removed recursively`: a folder with its content. `replaced`: by new content. `moved over`: by another file. */
  readonly how: "removed" | "removed recursively" | "replaced" | "moved" | "moved over"
}

/** Uncommitted changes that a git command discards. A folder in `paths` means all files in it, or all its stashes. */
export interface Discard {
  readonly what: "tracked" | "untracked" | "ignored" | "untracked and ignored" | "stash"
  readonly paths: readonly string[]
  readonly part: string
  /** False if a path may be the name of a branch instead: `git checkout x`. */
  readonly isCertain: boolean
}

export interface CommandReading {
  readonly kind: CommandKind
  /**
   * The paths that the command writes, deletes or moves: relative inside the project, absolute outside. A folder stands
   * for a path inside it, a glob (`src/*.ts`) for all its matches, UNKNOWN_PATH for a path that cannot be known.
   */
  readonly writes: readonly string[]
  readonly effects: readonly Effect[]
  readonly discards: readonly Discard[]
  readonly findings: readonly Finding[]
  /** True if the command changes something under `.hivemind/`, which only HiveMind may do. */
  readonly touchesHive: boolean
}

/** A call that names more files is refused, as it would take long to check them all. */
export const MAX_WRITTEN_FILES = 1000

/** A reason to refuse a command, unless the user has asked for an effect of this kind. */
export interface Finding {
  readonly kind: FindingKind
  readonly what: string
  /** The part of the command line that has the effect, as written. */
  readonly part: string
}

export const FINDING_TEXT = {
  "force push": "overwrites a branch on the remote (force push)",
  "remote deletion": "deletes something on the remote",
  database: "deletes data in a database",
  volume: "deletes volumes with the data of containers",
  "cluster or cloud": "deletes resources of a cluster or a cloud",
  "disk or machine": "erases a disk, turns the machine off, or ends all processes",
  "unread download": "runs a downloaded script that was not read first",
  "fork bomb": "starts processes without end",
  outside: "deletes or overwrites something outside of the project",
  "unknown target": "deletes a folder whose path is not known",
  "left out": "deletes or overwrites files that the snapshot left out",
  "discarded changes": "discards the user's uncommitted changes",
  "deleted file": "deletes the user's uncommitted work",
  stash: "deletes stashes of the user",
} as const
export type FindingKind = keyof typeof FINDING_TEXT
