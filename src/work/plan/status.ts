import { byAge } from "../../graph/by-age.ts"
import { isBlockedTask, isStartableTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { headOf } from "../../graph/read-head.ts"
import { first } from "../../graph/record-map.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
import { tasksIn } from "../../graph/tasks-in.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"

/** Plans with their tasks, in short: the given plan, else the session's, else all open ones. */
export function planStatus(hive: Hive, session: string, planRef: string | undefined) {
  const { state } = hive.store.read()
  const here = headOf(state, session)?.active_plan_id ?? undefined
  const wanted = planRef === undefined ? here : resolveId(state, "plan", planRef)
  const plans = wanted === undefined ? openPlans(state) : [state.plan.get(wanted)]
  if (planRef !== undefined && plans[0] === undefined) throw noSuchPlan(planRef)
  return plans.flatMap((plan) => (plan === undefined ? [] : [statusOf(plan)]))

  function statusOf(plan: Plan) {
    const all = state.task.by("parent_plan_id", plan.id)
    const isLong = all.size > MAX_LISTED
    // Of very many, those that somebody may still start.
    const listed = isLong
      ? first(MAX_LISTED, tasksIn(state, "plan", plan.id, isStartableTask))
      : [...all].sort(byAge)
    return {
      plan_id: plan.id,
      title: plan.title,
      status: plan.status,
      acceptance: plan.acceptance,
      tasks: listed.map(shown),
      ...(isLong ? { more_tasks: all.size - listed.length } : {}),
    }
  }

  function shown(task: Task) {
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

function noSuchPlan(given: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no plan ${given}.`,
    why: "No plan has this id.",
    use_instead: "Leave it out for the plan of this session.",
    evidence: given,
  })
}

function openPlans(state: GraphState): Plan[] {
  return [...state.plan.by("status", "draft"), ...state.plan.by("status", "active")].sort(byAge)
}

const MAX_LISTED = 200
