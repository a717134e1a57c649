import type { Session, Trajectory } from "../schemas/session.ts"
import { derivedId } from "../shared/ids.ts"
import type { GraphState } from "./state.ts"

export function sessionOf(state: GraphState, hostId: string | null): Session | undefined {
  return hostId === null ? undefined : state.session.get(sessionIdOf(hostId))
}

/** Returns the session's read-head, or else the project's plan and phase, without another session's task and intent. */
export function headOf(state: GraphState, hostId: string | null): Trajectory | undefined {
  const project = state.trajectory.get(PROJECT_HEAD_ID)
  if (hostId === null) return project
  const own = state.trajectory.get(headIdOf(hostId))
  return (
    own ??
    (project === undefined
      ? undefined
      : { ...project, active_task_ids: [], intent: null, intent_shift_at: null })
  )
}

/** The id is derived from the host's, so that two processes which see a new session at once create the same record. */
export function sessionIdOf(hostId: string): string {
  return derivedId("session", hostId)
}

export function headIdOf(hostId: string): string {
  return derivedId("read-head", hostId)
}

export const PROJECT_HEAD_ID = derivedId("read-head of the project")

/** Returns the session's intent, or null. An intent for another plan, phase or task is replaced by the plan's title. */
export function intentOf(state: Pick<GraphState, "plan">, head: Trajectory | undefined): string | null {
  if (head === undefined || head.intent === null) return null
  const { intent, intent_about, active_plan_id, active_phase_id, active_task_ids } = head
  const isAbout = [null, active_plan_id, active_phase_id, ...active_task_ids].includes(intent_about)
  return isAbout ? intent : (state.plan.get(active_plan_id ?? "")?.title ?? null)
}
