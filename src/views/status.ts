import { compare } from "../graph/by-age.ts"
import { isUnplanned } from "../graph/inbox.ts"
import { ALL } from "../graph/indexes.ts"
import { isOpenPlan } from "../graph/lifecycle.ts"
import { openConflicts } from "../graph/open-conflicts.ts"
import { pressureOf } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import { statusesWhere } from "../graph/tasks-in.ts"
import type { Hive } from "../hive/hive.ts"
import type { Checkpoint } from "../schemas/task.ts"
import { counted } from "../shared/amounts.ts"
import { hivePaths } from "../store/files/layout.ts"
import { sessionName, sessionStanding, sessionStatus } from "../work/session/status.ts"
import { lastExport } from "./export/export-folder.ts"
import { firstSentences } from "./export/synthesis.ts"
import { listOpenPlans, listPlans, planRow } from "./lists/plans.ts"

/** The state of the work in a session, or in the project if `host` is null: for the command line, dashboard and panel. */
export function workStatus(hive: Hive, host: string | null, maxUnplanned: number) {
  const { state } = hive.store.read()
  const status = sessionStatus(hive, host)
  const plan = state.plan.get(status.plan?.id ?? "")
  return {
    ...status,
    // The plan at the read-head, even if it is finished.
    planRow: plan === undefined ? null : planRow(state, plan),
    otherPlans: listPlans(hive, { status: "open" }).items.filter(({ id }) => id !== plan?.id),
    // Plans that can be started if the read-head has no open plan, the most recently worked on first.
    openPlans: isOpenPlan(plan) ? [] : listOpenPlans(hive),
    unplanned: unplannedWork(hive, maxUnplanned, host ?? undefined),
    window: pressureOf(state, host) ?? null,
    conflicts: openConflicts(state).length,
  }
}

/** The number of records of each kind. Plans and tasks that only collect unplanned work are not counted. */
export function countsOf(state: GraphState, archived: number) {
  const tasks: Record<string, number> = {}
  for (const status of statusesWhere(() => true)) {
    const count = countWhere(state.task.by("status", status), (task) => !isUnplanned(task))
    if (count > 0) tasks[status] = count
  }
  const plans = [...state.plan.values()].filter(({ purpose }) => purpose !== "unplanned")
  return {
    plans: plans.length,
    open_plans: plans.filter(isOpenPlan).length,
    tasks,
    // `hot` mems are not archived. Of these, `in_force` are neither invalidated nor superseded; lists show only them.
    mems: { hot: state.mem.size, in_force: state.mem.by("in_force", ALL).size, archived },
    anchors: state.anchor.by("kept", ALL).size,
    sessions: state.session.size,
    open_sessions: countWhere(state.session.values(), (each) => sessionStanding(state, each) === "open"),
  }
}

/** `2 plans (1 open), 5 tasks (3 planned, 2 active), 8 mems and 3 in the archive, 1 anchor, 4 sessions (1 open)`. */
export function countsText(counts: ReturnType<typeof countsOf>): string {
  const { plans, open_plans, tasks, mems, anchors, sessions, open_sessions } = counts
  const total = Object.values(tasks).reduce((sum, n) => sum + n, 0)
  const { hot, in_force, archived } = mems
  const over = hot === in_force ? "" : ` (${hot - in_force} more no longer in force)`
  const inArchive = archived === 0 ? "" : ` and ${archived} in the archive`
  const byStatus = Object.entries(tasks).map(([name, n]) => `${n} ${name}`)
  return [
    `${counted(plans, "plan")}${openNote(open_plans, plans)}`,
    `${counted(total, "task")}${byStatus.length === 0 ? "" : ` (${byStatus.join(", ")})`}`,
    `${counted(in_force, "mem")}${over}${inArchive}`,
    counted(anchors, "anchor"),
    `${counted(sessions, "session")}${openNote(open_sessions, sessions)}`,
  ].join(", ")
}

const openNote = (count: number, all: number): string => (all === 0 ? "" : ` (${count} open)`)

function countWhere<T>(records: Iterable<T>, is: (record: T) => boolean): number {
  let count = 0
  for (const record of records) if (is(record)) count++
  return count
}

/** Work without a plan, by session, newest first. `only` limits it to one session. */
function unplannedWork(hive: Hive, max: number, only?: string) {
  const { state } = hive.store.read()
  return [...checkpointsBySession(state)]
    .filter(([session]) => only === undefined || session === only)
    .flatMap(([host, checkpoints]) => {
      const session = sessionOf(state, host)
      const newestFirst = checkpoints.sort((a, b) => compare(b.created_at, a.created_at))
      const at = newestFirst[0]?.created_at
      return session === undefined || at === undefined ? [] : [{ session, newestFirst, at }]
    })
    .sort((a, b) => compare(b.at, a.at) || compare(a.session.id, b.session.id))
    .slice(0, max)
    .map(({ session, newestFirst, at }) => {
      const said = lastExport(hivePaths(hive.home), session).last?.last_message ?? ""
      return {
        host_id: session.host_id,
        stamp: session.stamp,
        name: sessionName(state, session),
        state: sessionStanding(state, session),
        files: [...new Set(newestFirst.filter(({ ok }) => ok).flatMap(({ files }) => files))],
        checks: checksIn(newestFirst),
        // The last answer is only known if the session was exported.
        last_answer: firstSentences(said) || null,
        at,
      }
    })
}

function checkpointsBySession(state: GraphState): Map<string, Checkpoint[]> {
  const found = new Map<string, Checkpoint[]>()
  for (const plan of state.plan.values()) {
    if (plan.purpose !== "unplanned") continue
    for (const task of state.task.by("parent_plan_id", plan.id)) {
      const session = task.assigned_session_id
      if (session === null || !isUnplanned(task)) continue
      const own = found.get(session) ?? []
      own.push(...state.checkpoint.by("task_id", task.id))
      found.set(session, own)
    }
  }
  return found
}

function checksIn(newestFirst: readonly Checkpoint[]) {
  const last = new Map<string, boolean>()
  for (const { command, did, ok } of newestFirst)
    if (command !== null && did.some((each) => each !== "commit") && !last.has(command)) last.set(command, ok)
  return Array.from(last, ([command, ok]) => ({ command, ok }))
}
