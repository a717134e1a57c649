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
