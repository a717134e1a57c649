import { ALL } from "../../graph/indexes.ts"
import { isOpenPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import { counted } from "../../shared/amounts.ts"
import { sessionStanding } from "../../work/session/standing.ts"

/** How much there is, counted the same for whoever asks. */
export interface Counts {
  plans: number
  open_plans: number
  /** By status. */
  tasks: Record<string, number>
  /** `in_force` is what lists show: of the hot ones, those that were neither taken back nor replaced. */
  mems: { hot: number; in_force: number; archived: number }
  /** Fresh and stale ones; what was removed is gone. */
  anchors: number
  sessions: number
  open_sessions: number
}

export function countsOf(state: GraphState, archived: number): Counts {
  const tasks: Record<string, number> = {}
  for (const status of statusesWhere(() => true)) {
    const { size } = state.task.by("status", status)
    if (size > 0) tasks[status] = size
  }
  return {
    plans: state.plan.size,
    open_plans: countWhere(state.plan.values(), isOpenPlan),
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
    `${counted(plans, "plan")}${open(open_plans, plans)}`,
    `${counted(total, "task")}${byStatus.length === 0 ? "" : ` (${byStatus.join(", ")})`}`,
    `${counted(mems.in_force, "mem")}${besides(mems)}`,
    counted(anchors, "anchor"),
    `${counted(sessions, "session")}${open(open_sessions, sessions)}`,
  ].join(", ")
}

function besides({ hot, in_force, archived }: Counts["mems"]): string {
  const over = hot === in_force ? "" : ` (${hot - in_force} more no longer in force)`
  return `${over}${archived === 0 ? "" : ` and ${archived} in the archive`}`
}

function open(count: number, all: number): string {
  return all === 0 ? "" : ` (${count} open)`
}

function countWhere<T>(records: Iterable<T>, is: (record: T) => boolean): number {
  let count = 0
  for (const record of records) if (is(record)) count++
  return count
}
