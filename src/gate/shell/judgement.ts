/** What a command is about; checkpoints record it. Type checks and linters count as builds; `read` only looks. */
export type CommandKind = "test" | "build" | "git" | "write" | "read" | "other"

export interface Judgement {
  /** What it would destroy, and the part of the command that does; null if nothing was found. */
  readonly destructive: { readonly what: string; readonly part: string } | null
  /**
   * What it writes, deletes or moves: relative to the project inside it, absolute outside. A folder means something
   * in it, a pattern (`src/*.ts`) what it matches, UNKNOWN_PATH a path that cannot be known.
   */
  readonly writes: readonly string[]
  /** It writes, deletes or moves something under `.hivemind/`, which only HiveMind may do. */
  readonly touchesHive: boolean
  readonly kind: CommandKind
}

export interface ShellContext {
  /** The project's root, absolute. */
  project: string
  /** The folder that holds `.hivemind/`; the project's root if not given. */
  hive?: string
  /** Where the command starts; the project's root if not given. */
  cwd?: string
  home?: string
}

export const UNKNOWN_PATH = "?"
