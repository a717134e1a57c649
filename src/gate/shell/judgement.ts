/** For checkpoints: what a command is about. Type checks and linters count as builds; `read` only looks. */
export type Kind = "test" | "build" | "git" | "write" | "read" | "other"

export interface Judgement {
  /** What it would destroy, and the part of the command that does; null if nothing was found. */
  readonly destructive: { readonly what: string; readonly part: string } | null
  /**
   * What it writes, deletes or moves: relative to the project inside it, absolute outside. A folder means something
   * in it, a pattern (`src/*.ts`) what it matches, UNKNOWN_PATH a place that cannot be known.
   */
  readonly writes: readonly string[]
  /** It writes, deletes or moves something under `.hivemind/`, which only HiveMind does. */
  readonly touchesHive: boolean
  readonly kind: Kind
  /** What could not be seen, each in a few words. */
  readonly unknown: readonly string[]
}

export interface ShellContext {
  /** The project's root, absolute. */
  project: string
  /** Where the command starts; the project's root if not given. */
  cwd?: string
  home?: string
}

export const UNKNOWN_PATH = "?"
export const HIVE_FOLDER = ".hivemind"
