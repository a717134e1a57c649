import { intentOf } from "../../graph/intent.ts"
import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import { headIdOf, headOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { PlanRow } from "../../views/look/plans.ts"
import type { SessionRow } from "../../views/look/sessions.ts"
import { listTasks } from "../../views/look/tasks.ts"
import type { Thread } from "./model.ts"

/**
 * What is being done, from intent to task. A session may work in another plan than the one its read-head is at, and people
 * have several sessions: each chain holds only what belongs together.
 */
export function threadsOf(hive: Hive, sessions: readonly SessionRow[], plans: readonly PlanRow[]): Thread[] {
  const { state } = hive.store.read()
  const threads = new Map<string, Thread>()

  const threadAt = (host: string | null, plan: string | null, phase: string | null): Thread => {
    const key = [host, plan, phase].join(" ")
    const session = sessions.find(({ host_id }) => host_id === host)
    const head = headOf(state, host)
    const thread = threads.get(key) ?? {
      session: session === undefined ? null : { id: session.host_id, name: nameOf(session) },
      // What was said of one plan does not hold for another.
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

/** What people know a session by: what it was asked for. */
export function nameOf({ intent, stamp }: Pick<SessionRow, "intent" | "stamp">): string {
  return intent ?? `Session ${stamp}`
}

const MAX_TASKS = 20
const MAX_THREADS = 8
