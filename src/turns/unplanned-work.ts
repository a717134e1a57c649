import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import { onceEach } from "../shared/once-each.ts"
import { callText } from "../shared/tool-names.ts"
import { adoptUnplanned, unplannedTask } from "../work/session/unplanned.ts"
import type { ToolOutcome } from "../work/task/checkpoint.ts"

/** Where a call without a task belongs, and what the model reads about that. */
export interface Unplanned {
  task: Task | undefined
  notes: readonly string[]
}

/**
 * Work without a task is welcome in `assisted`: the session's inbox task takes it in. The model is told once in a
 * session. In a project that does not use HiveMind yet nothing is kept: an edit is no reason to put files there.
 */
export function unplannedWork() {
  const isNews = onceEach()

  return async (
    hive: Hive,
    caller: { session: string; agent: string | null; tool: string },
    outcome: ToolOutcome | undefined,
  ): Promise<Unplanned> => {
    if (outcome === undefined || hive.config.governance !== "assisted") return NOTHING
    const { state } = hive.store.read()
    const there = unplannedTask(state, caller.session)
    if (there !== undefined) return { task: there, notes: [] }
    const [file] = outcome.files
    if (file === undefined) return NOTHING
    if (hive.store.isThere()) {
      const { task, isFirst } = await adoptUnplanned(hive, caller, file)
      return { task, notes: isFirst ? [`${NO_TASK}; it is kept in the inbox. ${TO_NAME_IT}`] : [] }
    }
    return { task: undefined, notes: isNews(caller.session) ? [`${NO_TASK}. ${TO_NAME_IT}`] : [] }
  }
}

const NOTHING: Unplanned = { task: undefined, notes: [] }
const NO_TASK = "HiveMind: this write belongs to no task"
const TO_NAME_IT = `${callText("session", "update")} names the work.`
