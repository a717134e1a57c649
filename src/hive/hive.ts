import type { Config } from "../schemas/config.ts"
import type { Author } from "../schemas/entry.ts"
import type { Source } from "../shared/ids.ts"
import type { UsageFile } from "../store/files/usage-file.ts"
import type { Store } from "../store/store.ts"

/** Control of sessions, which only the host has. */
export interface SessionControl {
  /** Ends a session of the host. */
  endSession: (session: string) => Promise<void>
  /** Starts a session that works by itself; returns its id at once. */
  startSession: (start: { parent: string; agent: string; title: string; prompt: string }) => Promise<string>
  /** State of a session in this host; left out without a host. */
  sessionState?: (session: string) => Promise<"busy" | "idle" | "gone">
}

/** The ids of its delegation and of its session. */
export interface StartedResearch {
  delegation: string
  session: string
}

/** The argument of every library call. */
export interface Hive extends SessionControl {
  /** The folder that holds `.hivemind/`. */
  home: string
  /** The worktree where files, commands and git are. All worktrees of a repository share a hive. */
  dir: string
  /** The git branch of `dir`; null where there is none. */
  branch: () => string | null
  store: Store
  /** Token usage and cost of models. */
  usage: UsageFile
  config: Config
  source: Source
  /** Says which past sessions of this project could be imported; undefined where there are none. */
  pastSessions?: () => Promise<string | undefined>
  /** Gets each researcher that was started or could not be stopped. */
  onResearch?: (started: StartedResearch) => void
}

/** Who calls: the host's session, its agent, and the tool or command used. */
export interface Caller {
  session: string | null
  agent: string | null
  tool: string
}

export function authorOf(caller: Caller): Author {
  return { tool: caller.tool, session: caller.session, agent: caller.agent }
}

/** The host's services for a running call of a HiveMind tool. */
export interface RunningCall {
  /**
   * Asks the host whether the user's rules for its own shell let this command run in that folder; where they say so,
   * the user is asked. Rejects if it may not run.
   */
  mayRun: (command: string, cwd: string) => Promise<void>
  /** The same for an agent that is to be started beside the caller. */
  mayStart: (agent: string) => Promise<void>
  /** Shows how far a long call is. */
  show: (progress: CallProgress) => void
  /** The user has stopped the turn. */
  signal: AbortSignal
  /** Begins to watch for other calls that may write; the returned function says whether there was none. */
  watchWriters?: () => () => boolean
}

interface CallProgress {
  title: string
  /** The end of what a command has printed so far. */
  output: string
}
