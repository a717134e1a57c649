import type { Finding } from "./findings.ts"

/** The kind of a command, which checkpoints record. Type checks and linters count as builds; `read` only looks. */
export type CommandKind = "test" | "build" | "git" | "write" | "read" | "other"

/** A file or folder that a command deletes or writes over. The path is absolute and may be a pattern. */
export interface Effect {
  readonly path: string
  readonly part: string
  /** `removed recursively`: with all that is in it; `replaced`: gets another content; `moved over`: by another file. */
  readonly how: "removed" | "removed recursively" | "replaced" | "moved" | "moved over"
}

/** A git command that discards uncommitted changes. `paths`: absolute; the project's root for all files. */
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
   * in it, a pattern (`src/*.ts`) what it matches, UNKNOWN_PATH a path that cannot be known.
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
