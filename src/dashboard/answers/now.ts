import { basename } from "node:path"
import { isOpenDelegation, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { headIdOf, headOf, intentOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { ledgerOf, spentShort } from "../../views/lists/costs.ts"
import { listAnchorRows } from "../../views/lists/mems.ts"
import type { PlanRow } from "../../views/lists/plans.ts"
import { listSessions, type SessionRow } from "../../views/lists/sessions.ts"
import { listTasks, type TaskRow } from "../../views/lists/tasks.ts"
import { workStatus } from "../../views/status.ts"
import { driftReport } from "../../watch/drift-report.ts"
import { openDecisions } from "./plans.ts"

export async function nowAnswer(hive: Hive, waiting: number) {
  const spent = spentShort((await ledgerOf(hive)).total)
  const { state, problems } = hive.store.read()
  const { plan, planRow, otherPlans, openPlans, unplanned, conflicts } = workStatus(hive, null, MAX_NEXT)
  const atHand = planRow?.isOpen ? planRow : null
  const sessions = listSessions(hive, { subagents: true }).items.filter(({ state: is }) => is === "open")
  const tasks = listTasks(hive, { status: "open", ...(plan !== null && { plan: plan.id }) }).items
  return {
    project: { name: basename(hive.dir), dir: hive.dir, branch: hive.branch() },
    threads: threadsOf(hive, sessions, atHand === null ? otherPlans : [atHand, ...otherPlans]),
    decisions: openDecisions(state),
    plan: atHand,
    next: tasks.filter(({ status }) => status === "planned").slice(0, MAX_NEXT),
    blocked: tasks.filter(({ status }) => status === "blocked").slice(0, MAX_NEXT),
    otherPlans: otherPlans.filter(({ id }) => !openPlans.some((each) => each.id === id)).slice(0, MAX_SHOWN),
    openPlans,
    unplanned,
    sessions: sessions.slice(0, MAX_SHOWN).map((session) => ({
      ...session,
      hasShifted: (state.trajectory.get(headIdOf(session.host_id))?.intent_shift_at ?? null) !== null,
    })),
    delegations: [...state.delegation.values()].filter(isOpenDelegation).map((each) => ({
      ...{ id: each.id, agent: each.to_agent, status: each.status, since: each.created_at },
      task: state.task.get(each.task_id)?.title ?? "",
    })),
    warnings: sessions.slice(0, MAX_SHOWN).flatMap(({ host_id, name }) =>
      driftReport(hive, host_id).warnings.map(({ signal, severity, text }) => ({
        ...{ session: host_id, name, signal, severity, text },
      })),
    ),
    window: fullest(sessions),
    spent,
    conflicts,
    problems: problems.length,
    waiting,
    anchors: listAnchorRows(hive).items.slice(0, MAX_SHOWN),
  }
}

function fullest(sessions: readonly SessionRow[]) {
  const [first] = sessions
    .flatMap(({ window, host_id, name }) => (window === null ? [] : [{ ...window, session: host_id, name }]))
    .sort((a, b) => b.share - a.share)
  return first ?? null
}

const MAX_SHOWN = 20
const MAX_NEXT = 8

interface Thread {
  session: { id: string; name: string } | null
  intent: string | null
  plan: PlanRow | null
  phase: string | null
  tasks: TaskRow[]
}

/** Groups the current work by session, plan and phase. A session has several threads if its tasks are from several plans. */
function threadsOf(hive: Hive, sessions: readonly SessionRow[], plans: readonly PlanRow[]): Thread[] {
  const { state } = hive.store.read()
  const threads = new Map<string, Thread>()

  const threadAt = (host: string | null, plan: string | null, phase: string | null): Thread => {
    const key = [host, plan, phase].join(" ")
    const session = sessions.find(({ host_id }) => host_id === host)
    const head = headOf(state, host)
    const thread = threads.get(key) ?? {
      session: session === undefined ? null : { id: session.host_id, name: session.name },
      // The intent is only shown with the plan that the session works on now.
      intent: head?.active_plan_id === plan ? intentOf(state, head) : null,
      plan: plans.find(({ id }) => id === plan) ?? null,
      phase,
      tasks: [],
    }
    threads.set(key, thread)
    return thread
  }

  for (const task of listTasks(hive, { status: "open" }).items.filter(isTaskUnderWay).slice(0, MAX_TASKS)) {
    const holder = state.task.get(task.id)?.assigned_session_id ?? null
    const host = sessions.some(({ host_id }) => host_id === holder) ? holder : null
    threadAt(host, task.plan?.id ?? null, task.phase).tasks.push(task)
  }
  for (const { host_id } of sessions) {
    const head = state.trajectory.get(headIdOf(host_id))
    if (head === undefined) continue
    const isShown = [...threads.values()].some(
      ({ session, plan }) => session?.id === host_id && (plan?.id ?? null) === head.active_plan_id,
    )
    if (!isShown && (head.active_plan_id !== null || head.intent !== null))
      threadAt(host_id, head.active_plan_id, phaseOf(head.active_phase_id))
  }
  const project = headOf(state, null)
  if (threads.size === 0 && project !== undefined)
    threadAt(null, project.active_plan_id, phaseOf(project.active_phase_id))

  function phaseOf(id: string | null): string | null {
    const phase = state.phase.get(id ?? "")
    return phase === undefined || phase.inbox ? null : phase.title
  }

  return [...threads.values()]
    .filter(({ intent, plan, tasks }) => intent !== null || plan !== null || tasks.length > 0)
    .sort((a, b) => Number(b.tasks.length > 0) - Number(a.tasks.length > 0))
    .slice(0, MAX_THREADS)
}

const MAX_TASKS = 20
const MAX_THREADS = 8
