import { byAge } from "../../graph/by-age.ts"
import { isBlockedTask, isStartableTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { headOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { tasksIn } from "../../graph/tasks-in.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"

/** A short list of tasks for the given plan, or else for the session's plan, or else for all open plans. */
export function planStatus(hive: Hive, session: string, given: string | undefined) {
  const { state } = hive.store.read()
  const here = headOf(state, session)?.active_plan_id ?? undefined
  const wanted = given === undefined ? here : resolveId(state, "plan", given)
  const open = () => [...state.plan.by("status", "draft"), ...state.plan.by("status", "active")].sort(byAge)
  const plans = wanted === undefined ? open() : [state.plan.get(wanted)].filter((plan) => plan !== undefined)
  if (given !== undefined && plans.length === 0)
    throw new HiveError({
      code: "not_found",
      what: `There is no plan ${given}.`,
      why: "No plan has this id.",
      use_instead: "Leave out the id to see the plan of this session.",
      evidence: given,
    })
  return plans.map(statusOf)

  function statusOf({ id, title, status, acceptance }: Plan) {
    const all = state.task.by("parent_plan_id", id)
    const isLong = all.size > MAX_LISTED
    const listed = isLong
      ? first(MAX_LISTED, tasksIn(state, "plan", id, isStartableTask))
      : [...all].sort(byAge)
    const more = isLong ? { more_tasks: all.size - listed.length } : {}
    return { plan_id: id, title, status, acceptance, tasks: listed.map(taskRow), ...more }
  }

  function taskRow(task: Task) {
    const [obstacle] = isBlockedTask(task) ? obstaclesOf(task, lookupIn(state)) : []
    const phase = state.phase.get(task.parent_phase_id)
    return {
      task_id: task.id,
      title: task.title,
      status: task.status,
      ...(phase === undefined || phase.inbox ? {} : { phase: phase.title }),
      ...(task.ahead ? { ahead: true } : {}),
      ...(obstacle === undefined ? {} : { waits: obstacle.why }),
    }
  }
}

const MAX_LISTED = 200
