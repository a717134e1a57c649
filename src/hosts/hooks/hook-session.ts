import { injectedFile } from "../../context/inject/frozen-injections.ts"
import type { SeenMessage } from "../../context/inject/seen-message.ts"
import type { ToolCall } from "../../gate/call.ts"
import type { HivePaths } from "../../store/files/layout.ts"

/** A session, or a subagent's, as far as its hooks need it between two events. */
export interface HookSession {
  id: string
  agent: string
  /** Messages of ours that the model still sees, oldest first; on disk they are the ids of the session's injections. */
  shown: string[]
  /** How often the conversation was replaced by a summary. */
  compactions: number
  /** Calls that have begun and not ended. */
  open: Map<string, ToolCall>
  refused: Set<string>
  /** Texts for the model that wait for an event that can carry them. */
  waiting: string[]
  turn: Turn | undefined
  /** Answers under way that come too late to be read. */
  unread: number
}

interface Turn {
  /** It has run a command or written a file. */
  hasWorked: boolean
  /** The open work that it was reminded of when it wanted to stop. */
  reminders: string[]
}

export function newSession(id: string, agent: string, paths: HivePaths): HookSession {
  const ids = injectedFile(paths, id)
    .read()
    .map(({ message }) => message)
  const compactions = Math.max(0, ...ids.map(compactionsBefore))
  const shown = ids.filter((message) => compactionsBefore(message) === compactions)
  return {
    id,
    agent,
    shown,
    compactions,
    open: new Map(),
    refused: new Set(),
    waiting: [],
    turn: undefined,
    unread: 0,
  }
}

export function newTurn(): Turn {
  return { hasWorked: false, reminders: [] }
}

export function nextMessage({ compactions }: HookSession, newId: () => string): string {
  return `${compactions}-${newId()}`
}

function compactionsBefore(message: string): number {
  return Number.parseInt(message, 10) || 0
}

/** The model sees nothing of ours any more. */
export function forgetShown(session: HookSession): void {
  session.compactions += 1
  session.shown = []
}

export function takeWaiting(session: HookSession): string {
  return session.waiting.splice(0).join("\n\n")
}

/** Whether the turn is held back for this open work: at most twice, and not twice for the same. */
export function holdsBack({ turn }: HookSession, unmet: string): boolean {
  if (turn === undefined || unmet === "") return false
  if (turn.reminders.length >= MAX_REMINDERS || turn.reminders.includes(unmet)) return false
  turn.reminders.push(unmet)
  return true
}

export function seenMessage(id: string, text: string): SeenMessage {
  return { id, role: "user", text, isCompactionRequest: false }
}

const MAX_REMINDERS = 2
