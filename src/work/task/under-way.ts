import { isBlockedTask, isTaskUnderWay, isWaitingTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { callText } from "../../shared/tool-names.ts"

/** Only what somebody works on can be completed or reviewed; says what has to be done first, in calls that there are. */
export function requireUnderWay(state: GraphState, task: Task): void {
  if (isTaskUnderWay(task)) return
  const { id, title, status } = task
  const [obstacle] = isBlockedTask(task) ? obstaclesOf(task, lookupIn(state)) : []
  const start = `${callText("task", "start")} with task_id ${shortId(id)}`
  throw new HiveError({
    code: "lifecycle",
    what: `The task "${title}" is ${status}.`,
    why: obstacle?.why ?? (isWaitingTask(task) ? "Nobody has started it." : "Nobody works on it any more."),
    use_instead:
      obstacle !== undefined
        ? `${obstacle.instead} Then ${start}; or ${callText("task", "fail")} with the reason.`
        : isWaitingTask(task) || status === "failed"
          ? `First ${start}.`
          : `Nothing is left to do for it; for more work, ${callText("plan", "plan_tasks")}.`,
    evidence: obstacle?.evidence ?? `task ${id}: status = ${status}`,
  })
}
