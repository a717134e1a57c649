import { isActiveSession } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Session } from "../../schemas/session.ts"
import { hasHostEnded } from "./host-process.ts"

/** `left`: not closed, but the program that it ran in has ended. `continued`: its work goes on in another one. */
export type SessionStanding = "open" | "left" | "continued" | "closed"

/** What became of a session, as people are told it. */
export function sessionStanding(state: GraphState, session: Session): SessionStanding {
  if (session.continued_in !== null) return "continued"
  if (!isActiveSession(session)) return "closed"
  return hasHostEnded(state, session.host_id) ? "left" : "open"
}
