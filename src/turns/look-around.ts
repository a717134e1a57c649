import { currentTask } from "../graph/current-task.ts"
import { unplannedTask } from "../work/session/unplanned.ts"
import { recordCheckpoint } from "../work/task/checkpoint.ts"
import { listed } from "./change-notes.ts"
import type { TurnInput } from "./turn-input.ts"

/** Keeps what has changed since the last look with the session's task, and notes for the model what should not have. */
export function lookAround({ hive, tree, changeNotes }: Pick<TurnInput, "hive" | "tree" | "changeNotes">) {
  return async (session: string, tool: string): Promise<void> => {
    const opened = await hive()
    const changed = await tree.turnEnded(opened, session)
    const task = currentTask(opened.store.read().state, session)
    await changeNotes.later(opened, { session, agent: null, changed, task })
    const kept = task ?? unplannedTask(opened.store.read().state, session)
    if (changed.length === 0 || kept === undefined) return
    const outcome = {
      tool,
      summary: `changed ${listed(changed)}`,
      files: changed,
      command: null,
      ok: true,
    }
    await recordCheckpoint(opened, { session, agent: null, tool }, kept, outcome)
  }
}

export type LookAround = ReturnType<typeof lookAround>
