import { signal } from "@preact/signals"
import type { CommandView } from "../../answers/model.ts"
import { version } from "./answers.ts"
import { address, ask, NoAnswer, send } from "./data.ts"
import { project } from "./route.ts"

/** One of schemas/queued-command.ts, which the server checks. */
export interface Command {
  do: CommandName
  [field: string]: unknown
}

type CommandName =
  | "save_mem"
  | "flag_mem"
  | "resolve_decision"
  | "edit_task"
  | "block_task"
  | "unblock_task"
  | "move_task"
  | "settle_conflict"
  | "take_back_shift"
  | "acknowledge_warning"
  | "repair_record"
  | "undo"
  | "restore"

/** What a reader has asked for, and what has become of it. */
export interface Asked extends CommandView {
  label: string
}

export const commands = signal<readonly Asked[]>([])

/** Says it to those who do not see the screen. */
export const spoken = signal("")

/** Puts a command into the queue, and tells how it ended. `label` says what it does: `Block "Build login"`. */
export function order(command: Command, label: string): Promise<Asked> {
  const draft: Asked = { id: `draft-${++drafts}`, label, ...WAITING }
  const ended = new Promise<Asked>((resolve) => ends.set(draft.id, resolve))
  commands.value = [...commands.value, draft]
  spoken.value = `Waiting: ${label}`
  void give(command, draft)
  return ended
}

async function give(command: Command, draft: Asked): Promise<void> {
  try {
    const taken = await send(command, project.value)
    // Its end may have been told before its id was.
    const ended = early.get(taken.id) ?? taken
    early.delete(taken.id)
    replace(draft.id, { ...draft, ...ended })
    // Its end may have come while the connection was lost.
    if (ended.state === "waiting") void catchUp()
  } catch (error) {
    const { what, why, use_instead } =
      error instanceof NoAnswer
        ? error.view
        : { what: "The server cannot be reached.", why: null, use_instead: null }
    replace(draft.id, { ...draft, state: "refused", what, why, use_instead })
  }
}

/** What the server told of a command; those of other windows are not ours to show. */
export function settle(told: CommandView): void {
  const ours = commands.value.find(({ id }) => id === told.id)
  if (ours !== undefined) replace(told.id, { ...ours, ...told })
  else if (commands.value.some(({ id }) => id.startsWith("draft-"))) early.set(told.id, told)
}

/** Closes the note that is shown; true where there was one. What waits stays. */
export function dismissShown(): boolean {
  const shown = commands.value.at(-1)
  if (shown === undefined || shown.state === "waiting") return false
  // An older one that was applied does not come to light again.
  commands.value = commands.value.filter(({ id, state }) => id !== shown.id && state !== "done")
  return true
}

export function dismiss(id: string): void {
  commands.value = commands.value.filter((each) => each.id !== id)
}

function replace(id: string, next: Asked): void {
  const before = commands.value.find((each) => each.id === id)
  commands.value = commands.value.map((each) => (each.id === id ? next : each))
  const end = ends.get(id)
  ends.delete(id)
  if (next.state !== "waiting") end?.(next)
  else if (end !== undefined) ends.set(next.id, end)
  if (next.state === "waiting" || before?.state === next.state) return
  spoken.value =
    next.state === "done" ? `Applied: ${next.label}` : `Refused: ${next.label}. ${next.what ?? ""}`
  if (next.state !== "done") return
  version.value++
  setTimeout(() => dismiss(next.id), SHOWN_MS)
}

/** What happened while nobody listened was not told: the queue is asked. */
export async function catchUp(): Promise<void> {
  for (const { id, state } of commands.peek()) {
    if (state !== "waiting" || id.startsWith("draft-")) continue
    const told = (await ask(address("command", { id }), project.peek()).catch((error: unknown) =>
      error instanceof NoAnswer && error.view.code === "not_found"
        ? { ...error.view, id, state: "refused" }
        : null,
    )) as CommandView | null
    if (told !== null && told.state !== "waiting") settle(told)
  }
}

let drafts = 0
/** Who waits to hear how a command ended. */
const ends = new Map<string, (asked: Asked) => void>()
const early = new Map<string, CommandView>()
const WAITING = { state: "waiting", what: null, why: null, use_instead: null } as const
const SHOWN_MS = 8_000
