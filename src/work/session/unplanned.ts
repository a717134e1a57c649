import { topSession } from "../../graph/conversation.ts"
import { ensureInbox, isUnplanned } from "../../graph/inbox.ts"
import { ALL } from "../../graph/indexes.ts"
import { newPlan, newTask } from "../../graph/new-records.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { isSessionOver } from "../../hive/host-process.ts"
import type { Task } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import { DAY_MS } from "../../shared/time.ts"
import { type SessionCaller, writeGraph } from "../write.ts"
import { endUnplanned, ensureSession } from "./session.ts"

/** The inbox task that collects a session's unplanned work; undefined if the session has none. */
export function unplannedTask(state: GraphState, session: string): Task | undefined {
  for (const task of state.task.by("holder", ownerOf(state, session))) if (isUnplanned(task)) return task
  return undefined
}

/** Finds or creates the session's inbox task, without moving the read-head. `isFirst`: the session had none before. */
export async function adoptUnplanned(hive: Hive, caller: SessionCaller, about: string) {
  const session = ownerOf(hive.store.read().state, caller.session)
  const { newId } = hive.source
  return writeGraph(hive, caller, (tx, _, now) => {
    const own = [...tx.by("task", "session", session)].filter(isUnplanned)
    const isFirst = own.length === 0
    // A parallel call of the same step may have created the task.
    const there = own.find(({ status }) => status === "active")
    if (there !== undefined) return { task: there, isFirst }
    ensureSession(tx, { ...caller, session }, now, null)
    const [open] = tx.by("plan", "unplanned", ALL)
    const named = { id: newId(), title: "Unplanned work", purpose: "unplanned" } as const
    const plan = open ?? tx.add("plan", newPlan(tx, now, named))
    const since = new Date(now - DAY_MS).toISOString()
    for (const task of [...tx.by("task", "plan active", plan.id)])
      if (task.created_at < since) endUnplanned(tx, task, "the session was not continued", now)
    const task = newTask(tx, now, ensureInbox(tx, plan), {
      id: newId(),
      title: shorten(`Unplanned: ${about}`, 120),
      purpose: "unplanned",
      expected_output: "what was changed without a task",
      status: "active",
      assigned_session_id: session,
    })
    return { task: tx.add("task", task), isFirst }
  })
}

/** A subagent shares the inbox task of its top session. */
function ownerOf(state: GraphState, session: string): string {
  return topSession((host) => sessionOf(state, host), session)
}

/** Ends inbox tasks that are older than a day, or whose session is over or one of `ended`. */
export async function endUnplannedLeft(hive: Hive, caller: Caller, ended: ReadonlySet<string> = new Set()) {
  const since = new Date(hive.source.now() - DAY_MS).toISOString()
  const { state } = hive.store.read()
  const hasEnded = ({ assigned_session_id: session, created_at }: Task) =>
    session === null || ended.has(session) || created_at < since || isSessionOver(state, session)
  const tasks = [...state.plan.by("unplanned", ALL)].flatMap(({ id }) => [
    ...state.task.by("plan active", id),
  ])
  const over = tasks.filter((task) => isUnplanned(task) && hasEnded(task))
  if (over.length === 0) return 0
  await writeGraph(hive, caller, (tx, _, now) => {
    for (const { id } of over) {
      const task = tx.get("task", id)
      if (task?.status === "active") endUnplanned(tx, task, "the session ended", now)
    }
  })
  return over.length
}
