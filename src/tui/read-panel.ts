import { openDecisions } from "../dashboard/answers/plans.ts"
import { ALL } from "../graph/indexes.ts"
import { isRunning } from "../graph/lifecycle.ts"
import type { Pressure } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { type Turn, turnsOf } from "../views/context/turns.ts"
import type { OpenPlanRow, PlanRow } from "../views/lists/plans.ts"
import type { UnplannedRow } from "../views/lists/unplanned.ts"
import { workStatus } from "../views/status.ts"
import { type DriftReport, driftReport } from "../watch/drift-report.ts"
import { planStatus } from "../work/plan/status.ts"
import type { SessionStatus } from "../work/session/status.ts"

interface Delegate {
  agent: string
  task: string
}

/** Data of the sidebar for one session. */
export interface PanelView {
  status: SessionStatus
  /** Of the plan at hand. */
  progress: PlanRow["tasks"] | null
  blocked: { title: string; waits: string | null }[]
  /** Tasks that can start after the current one, in the order of the plan. */
  next: string[]
  /** Where no open plan is at hand: those that can be taken up. */
  openPlans: OpenPlanRow[]
  /** Work of the session without a plan. */
  unplanned: UnplannedRow | null
  window: Pressure | null
  /** Items in its last message. */
  turn: Turn | null
  warnings: DriftReport["warnings"]
  delegates: Delegate[]
  quarantined: number
  /** Records that wait for a person, in the whole project. */
  decisions: string[]
  conflicts: number
}

/** Each part is read in an event-loop turn of its own, so that the host's screen never waits for all of them. */
export async function readPanel(hive: Hive, session: string): Promise<PanelView> {
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
  const isAtHand = new Set(status.tasks.map(({ id }) => id))
  return {
    status,
    progress: status.planRow?.tasks ?? null,
    blocked: tasks
      .filter((task) => task.status === "blocked")
      .map(({ title, waits }) => ({ title, waits: waits ?? null })),
    next: tasks
      .filter((task) => task.status === "planned" && !isAtHand.has(task.task_id))
      .map(({ title }) => title),
    openPlans: status.openPlans,
    unplanned: status.unplanned[0] ?? null,
    window: status.window,
    turn,
    warnings,
    delegates: [...state.delegation.by("open", ALL)]
      .filter((each) => isRunning(each) && isOf(session, each.session_id))
      .map((each) => ({ agent: each.to_agent, task: state.task.get(each.task_id)?.title ?? each.task_id })),
    decisions: openDecisions(state).map(({ content }) => content),
    conflicts: status.conflicts,
    quarantined: problems.filter(({ level }) => level === "quarantined").length,
  }

  function isOf(wanted: string, given: string | null): boolean {
    // A subagent's session shows what its parent has under way beside it.
    return given === wanted || (given !== null && given === sessionOf(state, wanted)?.parent_host_id)
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
