import { openDecisions } from "../dashboard/answers/plans.ts"
import { ALL } from "../graph/indexes.ts"
import { isRunning } from "../graph/lifecycle.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { turnsOf } from "../views/context/turns.ts"
import { workStatus } from "../views/status.ts"
import { driftReport } from "../watch/drift-report.ts"
import { planStatus } from "../work/plan/status.ts"

export type PanelView = Awaited<ReturnType<typeof readPanel>>

/** Reads the sidebar's data. It gives way to other work between the parts, so that the host can redraw its screen. */
export async function readPanel(hive: Hive, session: string) {
  await hive.store.ready()
  const status = workStatus(hive, session, 1)
  await nextTurn()
  const plan = status.plan?.id
  const tasks = plan === undefined ? [] : (planStatus(hive, session, plan)[0]?.tasks ?? [])
  await nextTurn()
  const { warnings } = driftReport(hive, session)
  await nextTurn()
  const turn = turnsOf(hive, session).at(-1) ?? null
  await nextTurn()
  const { state, problems } = hive.store.read()
  // A subagent's session also shows the delegations of its parent.
  const hosts = [session, sessionOf(state, session)?.parent_host_id]
  const isAtHand = new Set(status.tasks.map(({ id }) => id))
  return {
    status,
    progress: status.planRow?.tasks ?? null,
    blocked: tasks
      .filter((task) => task.status === "blocked")
      .map(({ title, waits }) => ({ title, waits: waits ?? null })),
    // Planned tasks in the order of the plan, without the current ones.
    next: tasks
      .filter((task) => task.status === "planned" && !isAtHand.has(task.task_id))
      .map(({ title }) => title),
    openPlans: status.openPlans,
    unplanned: status.unplanned[0] ?? null,
    window: status.window,
    turn,
    warnings,
    delegates: [...state.delegation.by("open", ALL)]
      .filter((each) => isRunning(each) && each.session_id !== null && hosts.includes(each.session_id))
      .map((each) => ({ agent: each.to_agent, task: state.task.get(each.task_id)?.title ?? each.task_id })),
    decisions: openDecisions(state).map(({ content }) => content),
    conflicts: status.conflicts,
    quarantined: problems.filter(({ level }) => level === "quarantined").length,
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
