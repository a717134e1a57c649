import { isBlockedTask, isOpenPlan } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { headOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"

/** Plans with their tasks, in short: the given plan, else the session's, else all open ones. */
export function planStatus(hive: Hive, session: string, planRef: string | undefined) {
  const { state } = hive.store.read()
  const here = headOf(state, session)?.active_plan_id ?? undefined
  const wanted = planRef === undefined ? here : resolveId(state, "plan", planRef)
  const plans = [...state.plan.values()].filter((plan) =>
    wanted === undefined ? isOpenPlan(plan) : plan.id === wanted,
  )
  return plans.map((plan) => ({
    plan_id: plan.id,
    title: plan.title,
    status: plan.status,
    acceptance: plan.acceptance,
    tasks: [...state.task.values()].filter((task) => task.parent_plan_id === plan.id).map(shown),
  }))

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
