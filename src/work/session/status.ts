import { ALL } from "../../graph/indexes.ts"
import { isActiveSession } from "../../graph/lifecycle.ts"
import { registersOf } from "../../graph/metrics.ts"
import { headOf, intentOf, sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Hive } from "../../hive/hive.ts"
import { hasHostEnded } from "../../hive/host-process.ts"
import type { Session } from "../../schemas/session.ts"
import { readableStamp } from "../../shared/stamp.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { SessionCaller } from "../write.ts"

export function sessionStatus(hive: Hive, hostId: string | null) {
  const { state, problems } = hive.store.read()
  const session = sessionOf(state, hostId)
  const head = headOf(state, hostId)
  const plan = state.plan.get(head?.active_plan_id ?? "")
  const phase = state.phase.get(head?.active_phase_id ?? "")
  const tasks = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  return {
    session: session
      ? { id: session.id, stamp: session.stamp, status: session.status, mode: session.mode }
      : null,
    intent: intentOf(state, head),
    plan: plan ? named(plan) : null,
    phase: phase ? named(phase) : null,
    tasks: tasks.map(named),
    mems: state.mem.by("in_force", ALL).size,
    problems: problems.length,
  }
}

function named({ id, title, status }: { id: string; title: string; status: string }) {
  return { id, title, status }
}

/** `left`: not closed, but its host process has ended. `continued`: its work goes on in another session. */
export type SessionStanding = "open" | "left" | "continued" | "closed"

export function sessionStanding(state: GraphState, session: Session): SessionStanding {
  if (session.continued_in !== null) return "continued"
  if (!isActiveSession(session)) return "closed"
  return hasHostEnded(state, session.host_id) ? "left" : "open"
}

export function sessionName(state: GraphState, { intent, host_id, stamp }: Session): string {
  return intent ?? sessionTitle(state, host_id) ?? `Session of ${readableStamp(stamp)}`
}

/** Saves the title in a register, because only people read it: the model's state stays unchanged. */
export async function recordTitle(
  hive: Hive,
  caller: SessionCaller,
  { title, isFromHost }: { title: string; isFromHost: boolean },
): Promise<void> {
  const { store } = hive
  const text = shorten(title.trim().split("\n", 1)[0] ?? "", 100)
  if (text === "" || !store.isThere()) return
  const { state } = store.read()
  if (sessionOf(state, caller.session) === undefined) return
  const known = sessionTitle(state, caller.session)
  if (known === text || (known !== null && !isFromHost)) return
  await store.append(authorOf(caller), (tx) => tx.register(caller.session, TITLE, text))
}

function sessionTitle(state: GraphState, session: string): string | null {
  const title = registersOf(state, session)[TITLE]
  return typeof title === "string" && title !== "" ? title : null
}

const TITLE = "title"
