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

/** What a reader has asked for, and what has become of it. */
export interface Asked extends CommandView {
  label: string
}

export const commands = signal<readonly Asked[]>([])

/** Says it to those who do not see the screen. */
export const spoken = signal("")

/** Puts a command into the queue. `label` says what it does: `Block "Build login"`. */
export async function order(command: Command, label: string): Promise<void> {
  const draft: Asked = { id: `draft-${++drafts}`, label, ...WAITING }
  commands.value = [...commands.value, draft]
  spoken.value = `Waiting: ${label}`
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

export function dismiss(id: string): void {
  commands.value = commands.value.filter((each) => each.id !== id)
}

function replace(id: string, next: Asked): void {
  const before = commands.value.find((each) => each.id === id)
  commands.value = commands.value.map((each) => (each.id === id ? next : each))
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
    const told = (await ask(address("command", { id }), project.peek()).catch(
      () => null,
    )) as CommandView | null
    if (told !== null && told.state !== "waiting") settle(told)
  }
}

let drafts = 0
const early = new Map<string, CommandView>()
const WAITING = { state: "waiting", what: null, why: null, use_instead: null } as const
const SHOWN_MS = 8_000
