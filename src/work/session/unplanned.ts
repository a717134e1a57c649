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
import { endUnplanned } from "./move-head.ts"
import { ensureSession } from "./session.ts"

/** The inbox task for a session's work without a task; undefined if there was no such work yet. */
export function unplannedTask(state: GraphState, session: string): Task | undefined {
  for (const task of state.task.by("holder", ownerOf(state, session))) if (isUnplanned(task)) return task
  return undefined
}

/**
 * Gives a session its inbox task. The read-head stays where it is, so a task that the session starts later is its only
 * one. `isFirst` where the session never had an inbox task.
 */
export async function adoptUnplanned(
  hive: Hive,
  caller: SessionCaller,
  about: string,
): Promise<{ task: Task; isFirst: boolean }> {
  const session = ownerOf(hive.store.read().state, caller.session)
  const { newId } = hive.source
  return writeGraph(hive, caller, (tx, _, now) => {
    const own = [...tx.by("task", "session", session)].filter(isUnplanned)
    const isFirst = own.length === 0
    // A parallel call of the same step may have been quicker.
    const there = own.find(({ status }) => status === "active")
    if (there !== undefined) return { task: there, isFirst }
    ensureSession(tx, { ...caller, session }, now, null)
    const [open] = tx.by("plan", "unplanned", ALL)
    const named = { id: newId(), title: "Unplanned work", purpose: "unplanned" } as const
    const plan = open ?? tx.add("plan", newPlan(tx, now, named))
    const since = new Date(now - DAY_MS).toISOString()
    for (const task of [...tx.by("task", "plan active", plan.id)])
      if (task.created_at < since) endUnplanned(tx, task, "its session did not go on", now)
    const task = newTask(tx, now, ensureInbox(tx, plan), {
      id: newId(),
      title: shorten(`Unplanned: ${about}`, MAX_TITLE),
      purpose: "unplanned",
      expected_output: "what was changed without a task",
      status: "active",
      assigned_session_id: session,
    })
    return { task: tx.add("task", task), isFirst }
  })
}

/** A subagent's unplanned work is its parent's: one inbox task for all of them. */
function ownerOf(state: GraphState, session: string): string {
  return topSession((host) => sessionOf(state, host), session)
}

/**
 * Ends the inbox tasks of sessions that have ended: those given, and those whose process is gone or that were made a day ago.
 * Hosts do not say that a session will never go on; one that does gets another inbox task.
 */
export async function endUnplannedLeft(
  hive: Hive,
  caller: Caller,
  ended: ReadonlySet<string> = new Set(),
): Promise<number> {
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
      if (task?.status === "active") endUnplanned(tx, task, "its session ended", now)
    }
  })
  return over.length
}

const MAX_TITLE = 120
