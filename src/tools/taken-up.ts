import { titleKey } from "../graph/indexes.ts"
import { isOpenTask, isWaitingTask } from "../graph/lifecycle.ts"
import { first } from "../graph/record-map.ts"
import { tasksIn } from "../graph/tasks-in.ts"
import type { Hive } from "../hive/hive.ts"
import type { Plan } from "../schemas/plan.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { callText } from "../shared/tool-names.ts"
import { startTask } from "../work/task/start.ts"
import { titled } from "./candidates.ts"
import type { ToolCaller } from "./tool.ts"

/** Starts the task that the session has moved to, or says why not: with one that nobody has started, no write has a task. */
export async function takenUp(hive: Hive, caller: ToolCaller, task: Task) {
  if (!isWaitingTask(task)) return { task_status: task.status }
  try {
    return { task_status: (await startTask(hive, caller, task.id)).status }
  } catch (error) {
    if (!(error instanceof HiveError)) throw error
    const then = `Then: ${callText("task", "start")} with task_id ${shortId(task.id)}.`
    const note = `The task was not started. ${error.why} ${error.use_instead} ${then}`
    return { task_status: task.status, note }
  }
}

/** After a move to a plan or phase: that no task was started, and which could be. One that is called so comes first. */
export function noTask({ store }: Hive, plan: Plan, content: string): string {
  const { state } = store.read()
  const called = first(MAX_TASKS, state.task.by("title", titleKey(content)))
  const near = first(MAX_TASKS, tasksIn(state, "plan", plan.id, isOpenTask))
  const found = first(MAX_TASKS, new Set([...called, ...near]))
  if (found.length === 0)
    return `No task was started: the plan has none yet; ${callText("plan", "plan_tasks")} adds some.`
  return `No task was started; ${callText("task", "start")} does that: ${found.map(titled).join(", ")}.`
}

const MAX_TASKS = 3
