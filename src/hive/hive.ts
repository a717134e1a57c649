import type { Config } from "../schemas/config.ts"
import type { Author } from "../schemas/entry.ts"
import type { Source } from "../shared/ids.ts"
import type { UsageFile } from "../store/files/usage-file.ts"
import type { Store } from "../store/store.ts"

/** What only the host can do with its sessions. */
export interface SessionControl {
  /** Ends a session of the host. */
  endSession: (session: string) => Promise<void>
  /** Starts a session that works by itself; returns its id at once. */
  startSession: (start: { parent: string; agent: string; title: string; prompt: string }) => Promise<string>
  /** Whether this host is at work on a session, knows it, or does not; left out where there is no host to ask. */
  sessionState?: (session: string) => Promise<"busy" | "idle" | "gone">
}

/** By the ids of its delegation and of its session. */
export interface StartedResearch {
  delegation: string
  session: string
}

/** What every library call works on. */
export interface Hive extends SessionControl {
  /** The folder that holds `.hivemind/`. */
  home: string
  /** The project's folder: the worktree where files, commands and git are. All worktrees of a repository share a hive. */
  dir: string
  /** The git branch of `dir`; null where there is none. */
  branch: () => string | null
  store: Store
  /** What models took. */
  usage: UsageFile
  config: Config
  source: Source
  /** Told of each researcher that was started, and of what could not be stopped, where somebody sees to both. */
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
