/** What a command is about; checkpoints record it. Type checks and linters count as builds; `read` only looks. */
export type CommandKind = "test" | "build" | "git" | "write" | "read" | "other"

export interface Judgement {
  /** What it would destroy whatever the project looks like, and the part of the command that does; null if nothing. */
  readonly destructive: { readonly what: string; readonly part: string } | null
  /** What it deletes or overwrites in the project: git and the file system know whether work would be lost. */
  readonly losses: readonly Loss[]
  /**
   * What it writes, deletes or moves: relative to the project inside it, absolute outside. A folder means something
   * in it, a pattern (`src/*.ts`) what it matches, UNKNOWN_PATH a path that cannot be known.
   */
  readonly writes: readonly string[]
  /** Folders, or patterns for them, that it deletes or moves with all that is in them; spelled as `writes` are. */
  readonly removedFolders: readonly string[]
  /** Where something is by its end, and where it was before: moved, packed, or copied and deleted. Absolute paths. */
  readonly moved: readonly (readonly [to: string, from: string])[]
  /** It writes, deletes or moves something under `.hivemind/`, which only HiveMind may do. */
  readonly touchesHive: boolean
  readonly kind: CommandKind
}

/** A question about a command, and the part of it that raises it. */
export interface Loss {
  readonly question: Question
  readonly part: string
}

/** Folders and paths are absolute; a path may be a pattern. `tip` is the commit that the command works on. */
export type Question =
  /**
   * Are these files in git, or can they be made again? `isMade`: by its name a build makes it. `only`: of what git knows, or
   * of what it does not.
   */
  | {
      readonly ask: "removed"
      readonly path: string
      readonly whole: boolean
      readonly isMade: boolean
      readonly only?: "tracked" | "untracked"
    }
  /**
   * Is the text that this file has now somewhere in git? Where `path` is a folder, the file is `into` in it. `from` is
   * what takes its place, null for a program's output; `mv` and `ln` replace a link, others write where it leads.
   */
  | {
      readonly ask: "replaced"
      readonly path: string
      readonly from: string | null
      readonly into: string | null
      readonly replacesLinks: boolean
      /** `from` came from there by the same command, unless it is on disk already. */
      readonly isBack?: true
      readonly only?: "tracked" | "untracked"
    }
  /** An archive (null: from a pipe) is unpacked over this folder, without so many of the first folders in its names. */
  | {
      readonly ask: "unpacked"
      readonly archive: string | null
      readonly folder: string
      readonly format: "tar" | "zip"
      readonly strip: number
    }
  /** git puts these back. Without `--` the first word may be a commit or a branch. */
  | {
      readonly ask: "restored"
      readonly cwd: string
      readonly words: readonly string[]
      readonly isPaths: boolean
    }
  /** git puts every file back that it knows, or those that it takes these words for. */
  | { readonly ask: "tree"; readonly cwd: string; readonly paths?: readonly string[] }
  /** `isSaved`: all but what git ignores has been put away before. */
  | { readonly ask: "clean"; readonly cwd: string; readonly args: readonly string[]; readonly isSaved?: true }
  /** Commits are made anew: those after `upstream`, or the last one. */
  | {
      readonly ask: "published"
      readonly cwd: string
      readonly tip: string
      readonly upstream: string | "last" | "tracked" | "all"
    }
  /**
   * A branch (or `refs/…`) goes away, or to another commit. `tip`: what it holds, where the command itself has made it.
   * `kept`: commits that are still held somewhere by then. `gone`: names that hold nothing any more.
   */
  | {
      readonly ask: "branch"
      readonly cwd: string
      readonly name: string
      readonly tip?: string
      readonly kept: readonly string[]
      readonly gone: readonly string[]
    }
  /**
   * The branch that is checked out by then, or HEAD, goes to another commit: in `to`, `@` is where it is. `tip`, `kept`, `gone` as above; `mayBeFile`: `to` may name no
   * commit at all, and then nothing goes anywhere.
   */
  | {
      readonly ask: "reset"
      readonly cwd: string
      readonly branch: string
      readonly tip?: string
      readonly to: string
      readonly kept: readonly string[]
      readonly gone: readonly string[]
      readonly mayBeFile?: boolean
      /** Only what it leaves there goes. */
      readonly path?: string
    }
  /** grep names files in HiveMind's folder, and they are written: does it find any there? `args` without the folders. */
  | { readonly ask: "found in hive"; readonly cwd: string; readonly args: readonly string[] }
  /** `fresh`: what this very command has put there before. */
  | { readonly ask: "stash"; readonly cwd: string; readonly fresh: "nothing" | "tracked" | "all" }
  /** Would HiveMind's own folder be put away with what git does not know? `paths`: what is to be put away. */
  | { readonly ask: "put away"; readonly cwd: string; readonly paths: readonly string[] }
  | { readonly ask: "worktree"; readonly path: string }

export interface ShellContext {
  /** The project's root, absolute. */
  project: string
  /** The folder that holds `.hivemind/`; the project's root if not given. */
  hive?: string
  /** Where the command starts; the project's root if not given. */
  cwd?: string
  home?: string
  /** Is there such a folder? Each is taken to be there if not given. */
  isFolder?: (path: string) => boolean
}

export const UNKNOWN_PATH = "?"
/** A call that names more is not let through: nobody writes so much at once, and looking at all of it takes long. */
export const MAX_WRITTEN_FILES = 1000
