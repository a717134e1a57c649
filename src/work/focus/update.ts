import * as z from "zod"
import { ensureInbox } from "../../graph/inbox.ts"
import { titleKey } from "../../graph/indexes.ts"
import { isOpenPlan } from "../../graph/lifecycle.ts"
import { newPlan } from "../../graph/new-plan.ts"
import { newTask } from "../../graph/new-task.ts"
import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { line } from "../../schemas/fields.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import { ensurePhase } from "../plan/ensure-phase.ts"
import { type HeadTarget, moveHead } from "../session/move-head.ts"
import { ensureSession } from "../session/start.ts"
import { heldElsewhere, holderElsewhere, isAbove } from "../task/holder.ts"

/** Where a session goes: the arguments of a call. */
export const sessionUpdate = z.strictObject({
  level: z.enum(["trajectory", "tactic", "action"]),
  content: line,
})

/** Moves the session's read-head to the plan, phase or task of that title, and creates it if there is none. */
export async function updateSession(
  hive: Hive,
  caller: Caller & { session: string },
  { level, content }: z.infer<typeof sessionUpdate>,
): Promise<HeadTarget> {
  const { source } = hive
  const held = level === "action" ? await heldTasks(hive, caller.session, content) : new Map<string, string>()
  const now = source.now()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const isNew = tx.get("session", sessionIdOf(caller.session)) === undefined
    const session = ensureSession(tx, caller, now, content)
    const make: Make = { tx, now, newId: source.newId, owner: caller.agent, session: caller.session }
    const head = tx.need("trajectory", headIdOf(caller.session))
    const found = head.active_plan_id === null ? undefined : tx.get("plan", head.active_plan_id)
    // A plan that is over takes no more work.
    const here = isOpenPlan(found) ? found : undefined
    // What was said of a plan that is over is not what the next one is for.
    const wanted = head.intent_about === null ? session.intent : null
    const plan =
      level === "trajectory"
        ? ensurePlan(make, content)
        : (here ?? ensurePlan(make, shorten(wanted ?? content, MAX_TITLE)))
    const near =
      level === "tactic"
        ? ensurePhase(make, plan, content, "active")
        : currentPhase(tx, plan, head.active_phase_id)
    const task = level === "action" ? ensureTask(make, plan, near ?? ensureInbox(tx, plan), content) : null
    const holder = held.get(task?.id ?? "")
    if (task !== null && holder !== undefined) throw heldElsewhere(task, holder, "was not taken over")
    // An existing task may be in another phase.
    const own = task === null ? near : tx.need("phase", task.parent_phase_id)
    const phase = level === "trajectory" || own?.inbox ? null : own
    moveHead(tx, caller.session, { plan, phase, task }, now)
    // Nobody has said what the session is for: its first words are about this, and not about what comes after.
    if (isNew) tx.set("trajectory", head.id, { intent_about: (task ?? phase ?? plan).id })
    return { plan, phase, task }
  })
  return result
}

/** Tasks of that title that others are at work on, each with its holder; a subagent may go to its parent's. */
async function heldTasks(hive: Hive, session: string, title: string): Promise<Map<string, string>> {
  const { state } = hive.store.read()
  const held = new Map<string, string>()
  for (const task of [...state.task.by("title", titleKey(title))]) {
    const holder = await holderElsewhere(hive, task, session)
    if (holder !== null && !isAbove(state, holder, session)) held.set(task.id, holder)
  }
  return held
}

interface Make {
  tx: Transaction
  now: number
  newId: () => string
  owner: string | null
  session: string
}

function ensurePlan({ tx, now, newId, owner }: Make, title: string): Plan {
  const open = [...tx.by("plan", "title", titleKey(title))].find(({ purpose }) => purpose === "work")
  if (open !== undefined) return open
  const plan = tx.add("plan", newPlan(tx, now, { id: newId(), title, owned_by: owner }))
  ensureInbox(tx, plan)
  return plan
}

function ensureTask({ tx, now, newId, owner, session }: Make, plan: Plan, phase: Phase, title: string): Task {
  const alike = tx.by("task", "title", titleKey(title))
  const there = [...alike].find(({ parent_plan_id }) => parent_plan_id === plan.id)
  if (there !== undefined) return there
  const task = newTask(tx, now, phase, {
    id: newId(),
    title,
    expected_output: title,
    status: "active",
    assigned_to: owner,
    assigned_session_id: session,
  })
  return tx.add("task", task)
}

function currentPhase(tx: Transaction, plan: Plan, id: string | null): Phase | null {
  const phase = id === null ? undefined : tx.get("phase", id)
  return phase?.parent_plan_id === plan.id ? phase : null
}

const MAX_TITLE = 500
