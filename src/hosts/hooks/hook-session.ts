import { randomUUID } from "node:crypto"
import { injectedFile } from "../../context/inject/frozen-injections.ts"
import type { ToolCall } from "../../gate/call.ts"
import type { HivePaths } from "../../store/files/layout.ts"

/** The state of a session or subagent that is kept from one hook event to the next. */
export class HookSession {
  readonly id: string
  readonly agent: string
  /** Ids of HiveMind's messages that the model still sees, oldest first; the injections on disk have the same ids. */
  shown: string[]
  readonly open = new Map<string, ToolCall>()
  readonly refused = new Set<string>()
  /** Texts for the model that wait for an event that can carry them. */
  readonly waiting: string[] = []
  /** `reminders` are the lists of open work that were already given as a reason not to stop yet. */
  turn: { hasWorked: boolean; reminders: string[] } | undefined
  /** The number of answers that are still being prepared although their time limit is over: the agent will not read them. */
  unread = 0
  #compactions: number

  constructor(id: string, agent: string, paths: HivePaths) {
    this.id = id
    this.agent = agent
    const messages = injectedFile(paths, id).read()
    const ids = messages.map(({ message }) => message)
    this.#compactions = Math.max(0, ...ids.map(compactionsBefore))
    this.shown = ids.filter((message) => compactionsBefore(message) === this.#compactions)
  }

  beginTurn() {
    this.turn ??= { hasWorked: false, reminders: [] }
    return this.turn
  }

  nextMessage(): string {
    return `${this.#compactions}-${randomUUID()}`
  }

  forgetShown(): void {
    this.#compactions += 1
    this.shown = []
  }

  takeWaiting(): string {
    return this.waiting.splice(0).join("\n\n")
  }

  /** Whether the agent is asked not to stop yet: at most twice per turn, and only once for the same open work. */
  holdsBack(unmet: string): boolean {
    const reminders = this.turn?.reminders
    if (reminders === undefined || unmet === "") return false
    if (reminders.length >= MAX_REMINDERS || reminders.includes(unmet)) return false
    reminders.push(unmet)
    return true
  }
}

function compactionsBefore(message: string): number {
  return Number.parseInt(message, 10) || 0
}

const MAX_REMINDERS = 2
