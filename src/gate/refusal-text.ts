import { isDoneTask, isStartableTask } from "../graph/lifecycle.ts"
import { headOf } from "../graph/read-head.ts"
import { first } from "../graph/record-map.ts"
import type { GraphState } from "../graph/state.ts"
import { countTasksIn, tasksIn } from "../graph/tasks-in.ts"
import type { Refusal } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"

function refusalText({ what, why, use_instead, evidence }: Refusal, chain: string): string {
  const parts = [`WHAT: ${what}`, `WHY: ${why}`, `USE INSTEAD: ${use_instead}`, `EVIDENCE: ${evidence}`]
  return [...parts, ...(chain === "" ? [] : [`CHAIN:\n${chain}`])].join("\n")
}

/** An error of one of HiveMind's tools as text: like a refusal of the gate, and with a code for programs. */
export function errorText(refusal: Refusal): string {
  return `${refusalText(refusal, "")}\nCODE: ${refusal.code}`
}

/** The session's plan and its open tasks, one per line; the session's own tasks are marked. */
export function chainText(state: GraphState, session: string): string {
  const head = headOf(state, session)
  const plan = state.plan.get(head?.active_plan_id ?? "")
  if (plan === undefined) return ""
  const all = state.task.by("parent_plan_id", plan.id).size
  const open = countTasksIn(state, "plan", plan.id, isStartableTask)
  const done = countTasksIn(state, "plan", plan.id, isDoneTask)
  const lines = first(MAX_TASKS, tasksIn(state, "plan", plan.id, isStartableTask)).map((task) => {
    const mark = head?.active_task_ids.includes(task.id) ? " ← yours" : ""
    return `  ${shortId(task.id)} ${task.title} [${task.status}]${mark}`
  })
  const more = open > MAX_TASKS ? [`  … ${open - MAX_TASKS} more`] : []
  return [`${plan.title} [${plan.status}], ${done}/${all} done`, ...lines, ...more].join("\n")
}

/** Shortens the text of a repeated refusal: a long text each time would encourage the model to try again. */
export function refusalMemory() {
  const last = new Map<string, { key: string; count: number }>()
  return {
    passed: (session: string) => last.delete(session),
    next(session: string, refusal: Refusal, chain: string): string {
      const key = `${refusal.code} ${refusal.what}`
      const before = last.get(session)
      const count = before?.key === key ? before.count + 1 : 1
      last.set(session, { key, count })
      if (count === 1) return refusalText(refusal, chain)
      if (count === 2) return refusalText(refusal, "")
      return `Refused ${count} times in a row; the same call will be refused again. USE INSTEAD: ${refusal.use_instead} If that is not possible, stop and tell the user.`
    },
  }
}

const MAX_TASKS = 6
