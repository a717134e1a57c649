import { signal } from "@preact/signals"
import type { QueuedCommand } from "../../../schemas/queued-command.ts"
import type { CommandView } from "../../answers/model.ts"
import { errorOf, version } from "./answers.ts"
import { address, ask, NoAnswer, send } from "./data.ts"

/** A command for the queue. The server validates its fields. */
export interface Command {
  do: QueuedCommand["do"]
  [field: string]: unknown
}

export interface Change extends CommandView {
  label: string
}

export const changes = signal<readonly Change[]>([])

/** The text that screen readers announce about the latest change. */
export const spoken = signal("")

/** Puts a command into the queue and resolves with its outcome. `label` names it: `Block "Build login"`. */
export function sendCommand(command: Command, label: string): Promise<Change> {
  const draft: Change = { id: `draft-${++drafts}`, label, ...WAITING }
  const outcome = new Promise<Change>((resolve) => waiting.set(draft.id, resolve))
  changes.value = [...changes.value, draft]
  spoken.value = `Waiting: ${label}`
  void enqueue(command, draft)
  return outcome
}

async function enqueue(command: Command, draft: Change): Promise<void> {
  try {
    const outcome = await send(command)
    replace(draft.id, { ...draft, ...outcome })
    // The outcome may have been reported before this page knew the command's id.
    if (outcome.state === "waiting") void catchUp()
  } catch (error) {
    replace(draft.id, { ...draft, ...errorOf(error), id: draft.id, state: "refused" })
  }
}

/** Shows the reported outcome of a command. Commands that another window sent are ignored. */
export function settle(told: CommandView): void {
  const ours = changes.value.find(({ id }) => id === told.id)
  if (ours !== undefined) replace(told.id, { ...ours, ...told })
}

/** Closes the note about the last change. Returns false if there is none, or if the change still waits. */
export function dismissShown(): boolean {
  const shown = changes.value.at(-1)
  if (shown === undefined || shown.state === "waiting") return false
  // Older applied changes are removed too, so that their notes do not appear next.
  changes.value = changes.value.filter(({ id, state }) => id !== shown.id && state !== "done")
  return true
}

export function dismiss(id: string): void {
  changes.value = changes.value.filter((each) => each.id !== id)
}

function replace(id: string, next: Change): void {
  const before = changes.value.find((each) => each.id === id)
  changes.value = changes.value.map((each) => (each.id === id ? next : each))
  const resolve = waiting.get(id)
  waiting.delete(id)
  if (next.state !== "waiting") resolve?.(next)
  else if (resolve !== undefined) waiting.set(next.id, resolve)
  if (next.state === "waiting" || before?.state === next.state) return
  spoken.value =
    next.state === "done" ? `Applied: ${next.label}` : `Refused: ${next.label}. ${next.what ?? ""}`
  if (next.state !== "done") return
  version.value++
  setTimeout(() => dismiss(next.id), SHOWN_MS)
}

/** Fetches the outcomes of commands that finished while the page was not connected. */
export async function catchUp(): Promise<void> {
  for (const { id, state } of changes.peek()) {
    if (state !== "waiting" || id.startsWith("draft-")) continue
    const told = (await ask(address("command", { id })).catch((error: unknown) =>
      error instanceof NoAnswer && error.view.code === "not_found"
        ? { ...error.view, id, state: "refused" }
        : null,
    )) as CommandView | null
    if (told !== null && told.state !== "waiting") settle(told)
  }
}

let drafts = 0
const waiting = new Map<string, (outcome: Change) => void>()
const WAITING = { state: "waiting", what: null, why: null, use_instead: null } as const
const SHOWN_MS = 8_000
