import { topSession } from "../../graph/conversation.ts"
import { ensureInbox, isUnplanned } from "../../graph/inbox.ts"
import { ALL } from "../../graph/indexes.ts"
import { newPlan } from "../../graph/new-plan.ts"
import { newTask } from "../../graph/new-task.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { ensureSession } from "./start.ts"
import { endUnplanned } from "./unplanned-end.ts"

/** The inbox task that takes in what a session does while it has no task; undefined if it did nothing of that kind yet. */
export function unplannedTask(state: GraphState, session: string): Task | undefined {
  for (const task of state.task.by("holder", ownerOf(state, session))) if (isUnplanned(task)) return task
  return undefined
}

/**
 * Gives a session its inbox task. The read-head stays where it is: nobody has said what the session works on, and what it
 * takes up later is then all that it is at. `isFirst` where the session never had one.
 */
export async function adoptUnplanned(
  hive: Hive,
  caller: Caller & { session: string },
  about: string,
): Promise<{ task: Task; isFirst: boolean }> {
  const { store, source } = hive
  const now = source.now()
  const session = ownerOf(store.read().state, caller.session)
  const { result } = await store.write(authorOf(caller), (tx) => {
    const own = [...tx.by("task", "session", session)].filter(isUnplanned)
    const isFirst = own.length === 0
    // A call of the same step may have been quicker.
    const there = own.find(({ status }) => status === "active")
    if (there !== undefined) return { task: there, isFirst }
    ensureSession(tx, { ...caller, session }, now, null)
    const plan = ensurePlan(tx, source.newId(), now)
    endForgotten(tx, plan, now)
    return { task: addTask(tx, { id: source.newId(), plan, session, about, now }), isFirst }
  })
  return result
}

/** A subagent's unplanned work is its parent's: one inbox task for all of them. */
function ownerOf(state: GraphState, session: string): string {
  return topSession((host) => sessionOf(state, host), session)
}

function ensurePlan(tx: Transaction, id: string, now: number): Plan {
  const [open] = tx.by("plan", "unplanned", ALL)
  if (open !== undefined) return open
  return tx.add("plan", newPlan(tx, now, { id, title: "Unplanned work", purpose: "unplanned" }))
}

interface NewUnplanned {
  id: string
  plan: Plan
  session: string
  about: string
  now: number
}

function addTask(tx: Transaction, { id, plan, session, about, now }: NewUnplanned): Task {
  const task = newTask(tx, now, ensureInbox(tx, plan), {
    id,
    title: shorten(`Unplanned: ${about}`, MAX_TITLE),
    purpose: "unplanned",
    expected_output: "what was changed without a task",
    status: "active",
    assigned_session_id: session,
  })
  return tx.add("task", task)
}

/** Hosts do not say that a session will never go on. One that does gets another inbox task. */
function endForgotten(tx: Transaction, plan: Plan, now: number): void {
  const since = new Date(now - FORGOTTEN_MS).toISOString()
  for (const task of [...tx.by("task", "plan active", plan.id)])
    if (task.created_at < since) endUnplanned(tx, task, "its session did not go on", now)
}

const MAX_TITLE = 120
const FORGOTTEN_MS = 24 * HOUR_MS
