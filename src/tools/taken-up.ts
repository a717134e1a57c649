import { titleKey } from "../graph/indexes.ts"
import { isOpenTask, isWaitingTask } from "../graph/lifecycle.ts"
import { first } from "../graph/record-map.ts"
import { tasksIn } from "../graph/tasks-in.ts"
import type { Hive } from "../hive/hive.ts"
import type { Plan } from "../schemas/plan.ts"
import type { Task } from "../schemas/task.ts"
import { toRefusal } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { callText } from "../shared/tool-names.ts"
import { startTask } from "../work/task/start.ts"
import { titled } from "./candidates.ts"
import type { ToolCaller } from "./tool.ts"

/** A read-head at a task that nobody has begun would leave the next write without a task: it is started, or said why not. */
export async function takenUp(hive: Hive, caller: ToolCaller, task: Task) {
  if (!isWaitingTask(task)) return { task_status: task.status }
  try {
    return { task_status: (await startTask(hive, caller, task.id)).status }
  } catch (error) {
    const { why, use_instead } = toRefusal(error)
    const then = `then ${callText("task", "start")} with task_id ${shortId(task.id)}`
    return { task_status: task.status, note: `The task was not taken up: ${why} ${use_instead} ${then}.` }
  }
}

/** Which tasks could be taken up: one that is called so, else those of the plan. */
export function noTask({ store }: Hive, plan: Plan, content: string): string {
  const { state } = store.read()
  const called = state.task.by("title", titleKey(content))
  const found = first(
    MAX_TASKS,
    new Set([...called, ...first(MAX_TASKS, tasksIn(state, "plan", plan.id, isOpenTask))]),
  )
  if (found.length === 0)
    return `No task is taken up, and the plan has none; ${callText("plan", "plan_tasks")} adds some.`
  return `No task is taken up; ${callText("task", "start")} does that: ${found.map(titled).join(", ")}.`
}

const MAX_TASKS = 3
