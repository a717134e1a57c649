import type { Spoken } from "../context/split/handoff.ts"

/** What a host can do with whole conversations. A host that cannot has none of it, and sessions are not split there. */
export interface Conversations {
  /** The last messages of a session, oldest first. */
  lastSpoken(session: string): Promise<Spoken[]>
  /** Makes an empty session that goes on with another one; returns its id. */
  makeNext(session: string): Promise<string>
  /** Sessions made for that about a moment (ms), with no message in them. */
  emptyNext(session: string, since: number): Promise<string[]>
  /** Deletes a session with no more than one message. One in which somebody has spoken stays. */
  removeUnused(session: string): Promise<void>
  /**
   * Puts a message there that nobody answers: a line for the person, and what only the model reads. It has the agent and
   * the model of the session before, as the person's next message will have. Returns its id.
   */
  leave(session: string, line: string, hidden: string, before: string): Promise<string>
  /** What only the model reads of a message, as the host has stored it. */
  stored(session: string, message: string): Promise<string | undefined>
  /** Moves the person's view there, where somebody is looking. */
  show(session: string): Promise<void>
}
