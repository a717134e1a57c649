import { openDecisions } from "../../dashboard/answers/decisions.ts"
import { standingConflicts } from "../../graph/conflict-standing.ts"
import { ALL } from "../../graph/indexes.ts"
import { isRunning } from "../../graph/lifecycle.ts"
import { type Pressure, pressureOf } from "../../graph/pressure.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { type Turn, turnsOf } from "../../views/context/turns.ts"
import { listPlans, type PlanRow } from "../../views/look/plans.ts"
import { type DriftReport, driftReport } from "../../watch/drift-report.ts"
import { planStatus } from "../../work/plan/status.ts"
import { type SessionStatus, sessionStatus } from "../../work/session/status.ts"

interface Delegate {
  agent: string
  task: string
}

/** All that the sidebar shows of one session. */
export interface PanelView {
  status: SessionStatus
  /** Of the plan at hand. */
  progress: PlanRow["tasks"] | null
  blocked: { title: string; waits: string | null }[]
  /** What can be taken up after the task at hand, in the order of the plan. */
  next: string[]
  window: Pressure | null
  /** What its last message carried. */
  turn: Turn | null
  warnings: DriftReport["warnings"]
  delegates: Delegate[]
  quarantined: number
  /** What waits for a person, in the whole project. */
  decisions: string[]
  conflicts: number
}

/** Each view is read in a turn of its own, so that the host's screen never waits for all of them. */
export async function readPanel(hive: Hive, session: string): Promise<PanelView> {
  await hive.store.ready()
  const status = sessionStatus(hive, session)
  await nextTurn()
  const plan = status.plan?.id
  const row = plan === undefined ? undefined : listPlans(hive).items.find(({ id }) => id === plan)
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
    progress: row?.tasks ?? null,
    blocked: tasks
      .filter((task) => task.status === "blocked")
      .map(({ title, waits }) => ({ title, waits: waits ?? null })),
    next: tasks
      .filter((task) => task.status === "planned" && !isAtHand.has(task.task_id))
      .map(({ title }) => title),
    window: pressureOf(state, session) ?? null,
    turn,
    warnings,
    delegates: [...state.delegation.by("open", ALL)]
      .filter((each) => isRunning(each) && isOf(session, each.session_id))
      .map((each) => ({ agent: each.to_agent, task: state.task.get(each.task_id)?.title ?? each.task_id })),
    decisions: openDecisions(state).map(({ content }) => content),
    conflicts: standingConflicts(state).length,
    quarantined: problems.filter(({ level }) => level === "quarantined").length,
  }

  function isOf(wanted: string, given: string | null): boolean {
    // A subagent's session shows what its parent has under way beside it.
    return given === wanted || (given !== null && given === sessionOf(state, wanted)?.parent_host_id)
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
