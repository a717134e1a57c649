import type { Session, Trajectory } from "../schemas/session.ts"
import { derivedId } from "../shared/ids.ts"
import type { GraphState } from "./state.ts"

/** The record of a host session, if HiveMind has one. */
export function sessionOf(state: GraphState, hostId: string | null): Session | undefined {
  return hostId === null ? undefined : state.session.get(sessionIdOf(hostId))
}

/** The session's read-head. Without one: the project's plan and phase, but not another session's task and intent. */
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

/** Derived from the host's id: two processes that meet a session at the same moment make the same record. */
export function sessionIdOf(hostId: string): string {
  return derivedId("session", hostId)
}

export function headIdOf(hostId: string): string {
  return derivedId("read-head", hostId)
}

export const PROJECT_HEAD_ID = derivedId("read-head of the project")
