import { isUnplanned } from "../graph/inbox.ts"
import { ALL } from "../graph/indexes.ts"
import { isOpenPlan } from "../graph/lifecycle.ts"
import { openConflicts } from "../graph/open-conflicts.ts"
import { type Pressure, pressureOf } from "../graph/pressure.ts"
import type { GraphState } from "../graph/state.ts"
import { statusesWhere } from "../graph/tasks-in.ts"
import type { Hive } from "../hive/hive.ts"
import { counted } from "../shared/amounts.ts"
import { type SessionStatus, sessionStanding, sessionStatus } from "../work/session/status.ts"
import { listOpenPlans, listPlans, type OpenPlanRow, type PlanRow, planRow } from "./lists/plans.ts"
import { type UnplannedRow, unplannedWork } from "./lists/unplanned.ts"

/** Where the work stands, for one session or (null) the project. The command line, the dashboard and the panel show it. */
export interface WorkStatus extends SessionStatus {
  /** The plan at the read-head, also a finished one. */
  planRow: PlanRow | null
  /** The other plans that are open. */
  otherPlans: PlanRow[]
  /** Without an open plan at the read-head: the open plans with their next tasks, the most recently worked first. */
  openPlans: OpenPlanRow[]
  unplanned: UnplannedRow[]
  /** How full the context window is; null if unknown. */
  window: Pressure | null
  /** Sync conflicts to settle. */
  conflicts: number
}

export function workStatus(hive: Hive, host: string | null, maxUnplanned: number): WorkStatus {
  const { state } = hive.store.read()
  const status = sessionStatus(hive, host)
  const plan = state.plan.get(status.plan?.id ?? "")
  return {
    ...status,
    planRow: plan === undefined ? null : planRow(state, plan),
    otherPlans: listPlans(hive, { status: "open" }).items.filter(({ id }) => id !== plan?.id),
    openPlans: isOpenPlan(plan) ? [] : listOpenPlans(hive),
    unplanned: unplannedWork(hive, maxUnplanned, host ?? undefined),
    window: pressureOf(state, host) ?? null,
    conflicts: openConflicts(state).length,
  }
}

/** How many records of each kind there are. Plans and tasks for unplanned work are bookkeeping and not counted. */
export interface Counts {
  plans: number
  open_plans: number
  /** By status. */
  tasks: Record<string, number>
  /** `in_force` is what lists show: of the hot ones, those that were neither taken back nor replaced. */
  mems: { hot: number; in_force: number; archived: number }
  /** Fresh and stale ones; removed ones are gone. */
  anchors: number
  sessions: number
  open_sessions: number
}

export function countsOf(state: GraphState, archived: number): Counts {
  const tasks: Record<string, number> = {}
  for (const status of statusesWhere(() => true)) {
    const count = countWhere(state.task.by("status", status), (task) => !isUnplanned(task))
    if (count > 0) tasks[status] = count
  }
  const plans = [...state.plan.values()].filter(({ purpose }) => purpose !== "unplanned")
  return {
    plans: plans.length,
    open_plans: countWhere(plans, isOpenPlan),
    tasks,
    mems: { hot: state.mem.size, in_force: state.mem.by("in_force", ALL).size, archived },
    anchors: state.anchor.by("kept", ALL).size,
    sessions: state.session.size,
    open_sessions: countWhere(state.session.values(), (each) => sessionStanding(state, each) === "open"),
  }
}

/** `2 plans (1 open), 5 tasks (3 planned, 2 active), 8 mems and 3 in the archive, 1 anchor, 4 sessions (1 open)`. */
export function countsText(counts: Counts): string {
  const { plans, open_plans, tasks, mems, anchors, sessions, open_sessions } = counts
  const total = Object.values(tasks).reduce((sum, n) => sum + n, 0)
  const byStatus = Object.entries(tasks).map(([name, n]) => `${n} ${name}`)
  return [
    `${counted(plans, "plan")}${openNote(open_plans, plans)}`,
    `${counted(total, "task")}${byStatus.length === 0 ? "" : ` (${byStatus.join(", ")})`}`,
    `${counted(mems.in_force, "mem")}${otherMems(mems)}`,
    counted(anchors, "anchor"),
    `${counted(sessions, "session")}${openNote(open_sessions, sessions)}`,
  ].join(", ")
}

function otherMems({ hot, in_force, archived }: Counts["mems"]): string {
  const over = hot === in_force ? "" : ` (${hot - in_force} more no longer in force)`
  return `${over}${archived === 0 ? "" : ` and ${archived} in the archive`}`
}

function openNote(count: number, all: number): string {
  return all === 0 ? "" : ` (${count} open)`
}

function countWhere<T>(records: Iterable<T>, is: (record: T) => boolean): number {
  let count = 0
  for (const record of records) if (is(record)) count++
  return count
}
