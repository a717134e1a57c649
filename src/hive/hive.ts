import type { Config } from "../schemas/config.ts"
import type { Author } from "../schemas/entry.ts"
import type { Source } from "../shared/ids.ts"
import type { UsageFile } from "../store/files/usage-file.ts"
import type { Store } from "../store/store.ts"

/** Starts, ends and observes sessions, which only a host can do. */
export interface SessionControl {
  endSession: (session: string) => Promise<void>
  /** Starts a session that works in the background, and returns its id. */
  startSession: (start: { parent: string; agent: string; title: string; prompt: string }) => Promise<string>
  /** Missing if no running host can tell the state of a session. */
  sessionState?: (session: string) => Promise<"busy" | "idle" | "gone">
}

export type StartedResearch = { delegation: string; session: string }

/** An open hive with its store, configuration and host. Nearly every function takes it. */
export interface Hive extends SessionControl {
  /** The folder that contains `.hivemind/`. */
  home: string
  /** The worktree whose files, commands and git are used. All worktrees of a repository share one hive. */
  dir: string
  /** The git branch of `dir`, or null. */
  branch: () => string | null
  store: Store
  usage: UsageFile
  config: Config
  source: Source
  /** Returns a text that offers to import past sessions; undefined if there are none. */
  pastSessions?: () => Promise<string | undefined>
  /** Called with researchers that were started or could not be stopped. */
  onResearch?: (started: StartedResearch) => void
}

/** Who calls a function: the host's session, its agent, and the tool or command. */
export interface Caller {
  session: string | null
  agent: string | null
  tool: string
}

export function authorOf(caller: Caller): Author {
  return { tool: caller.tool, session: caller.session, agent: caller.agent }
}

/** The host's services for a running HiveMind tool. */
export interface RunningCall {
  /** Asks the host whether a command may run; the host may ask the user. Rejects if it may not. */
  mayRun: (command: string, cwd: string) => Promise<void>
  /** Asks the host in the same way whether an agent may be started. */
  mayStart: (agent: string) => Promise<void>
  /** Shows the progress of a long call, with the end of its output. */
  show: (progress: { title: string; output: string }) => void
  /** Aborted when the user stops the turn. */
  signal: AbortSignal
  /** Watches for other calls that write files. The returned function is true as long as there was none. */
  watchWriters?: () => () => boolean
}
