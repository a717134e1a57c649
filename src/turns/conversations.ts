import type { Spoken } from "../context/split/handoff.ts"

/** What a host can do with whole conversations. A host that cannot has none of it, and sessions are not split there. */
export interface Conversations {
  /** The last messages of a session, oldest first. */
  lastSpoken(session: string): Promise<Spoken[]>
  /** Makes an empty session that goes on with another one; returns its id. */
  makeNext(session: string): Promise<string>
  /** Sessions made for that since a moment (ms) that nobody has spoken in. */
  unusedNext(session: string, since: number): Promise<string[]>
  remove(session: string): Promise<void>
  /** Puts a message there that nobody answers: a line for the person, and what only the model reads. Returns its id. */
  leave(session: string, line: string, hidden: string): Promise<string>
  /** What only the model reads of a message, as the host has stored it. */
  stored(session: string, message: string): Promise<string | undefined>
  /** Moves the person's view there, where somebody is looking. */
  show(session: string): Promise<void>
}
