import { ALL } from "../../graph/indexes.ts"
import { intentOf } from "../../graph/intent.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"

interface Named {
  id: string
  title: string
  status: string
}

export interface SessionStatus {
  session: { id: string; stamp: string; status: string; mode: string } | null
  intent: string | null
  plan: Named | null
  phase: Named | null
  tasks: Named[]
  mems: number
  problems: number
}

/** The session's intent and place in the plan. */
export function sessionStatus(hive: Hive, hostId: string | null): SessionStatus {
  const { state, problems } = hive.store.read()
  const session = sessionOf(state, hostId)
  return {
    session: session === undefined ? null : pick(session),
    ...chainOf(state, hostId),
    mems: state.mem.by("in_force", ALL).size,
    problems: problems.length,
  }
}

function chainOf(
  state: GraphState,
  hostId: string | null,
): Pick<SessionStatus, "intent" | "plan" | "phase" | "tasks"> {
  const head = headOf(state, hostId)
  const plan = head?.active_plan_id ? state.plan.get(head.active_plan_id) : undefined
  const phase = head?.active_phase_id ? state.phase.get(head.active_phase_id) : undefined
  const tasks = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  return {
    intent: intentOf(state, head),
    plan: plan === undefined ? null : named(plan),
    phase: phase === undefined ? null : named(phase),
    tasks: tasks.map(named),
  }
}

function named({ id, title, status }: Named): Named {
  return { id, title, status }
}

function pick({ id, stamp, status, mode }: { id: string; stamp: string; status: string; mode: string }) {
  return { id, stamp, status, mode }
}
