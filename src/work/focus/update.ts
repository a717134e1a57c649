import * as z from "zod"
import { compare } from "../../graph/by-age.ts"
import { ensureInbox, isUnplanned } from "../../graph/inbox.ts"
import { titleKey } from "../../graph/indexes.ts"
import { isOpenPlan } from "../../graph/lifecycle.ts"
import { newPlan, newTask } from "../../graph/new-records.ts"
import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Hive } from "../../hive/hive.ts"
import { line } from "../../schemas/fields.ts"
import type { Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import { ensurePhase } from "../plan/create.ts"
import { reopenPlan } from "../plan/end.ts"
import { ensureSession, type HeadTarget, moveHead } from "../session/session.ts"
import { heldElsewhere, holderElsewhere, isAbove } from "../task/holder.ts"
import { type SessionCaller, writeGraph } from "../write.ts"

export const sessionUpdate = z.strictObject({
  level: z.enum(["trajectory", "tactic", "action"]),
  content: line,
})

/** Moves the session's read-head to the plan, phase or task with the title `content`, which is created if there is none. */
export async function updateSession(
  hive: Hive,
  caller: SessionCaller,
  { level: given, content }: z.infer<typeof sessionUpdate>,
): Promise<HeadTarget> {
  const held = await heldTasks(hive, caller.session, content)
  const { newId } = hive.source
  return writeGraph(hive, caller, (tx, at, now) => {
    const isNew = tx.get("session", sessionIdOf(caller.session)) === undefined
    const session = ensureSession(tx, caller, now, content)
    const head = tx.need("trajectory", headIdOf(caller.session))
    const found = head.active_plan_id === null ? undefined : tx.get("plan", head.active_plan_id)
    const isHere = given === "action" && isOpenPlan(found)
    const named = hasTitle(tx, given, content, found?.id)
      ? undefined
      : taskOfTitle(tx, content, found?.id, isHere)
    const level = named === undefined ? given : "action"
    const near = named === undefined ? found : tx.get("plan", named.parent_plan_id)
    const open = near && level !== "trajectory" ? reopenPlan(tx, near, at) : near
    const here = isOpenPlan(open) ? open : undefined
    // The intent of an earlier plan does not become the title of the next one.
    const wanted = head.intent_about === null ? session.intent : null
    const title = level === "trajectory" ? content : shorten(wanted ?? content, 500)
    const plan = (level === "trajectory" ? undefined : here) ?? ensurePlan(title)
    const active = tx.get("phase", head.active_phase_id ?? "")
    const ofPlan = active?.parent_plan_id === plan.id ? active : null
    const current = level === "tactic" ? ensurePhase({ tx, now, newId }, plan, content, "active") : ofPlan
    const task = level === "action" ? (named ?? addTask(current ?? ensureInbox(tx, plan))) : null
    const holder = held.get(task?.id ?? "")
    if (task !== null && holder !== undefined) throw heldElsewhere(task, holder, "was not taken over")
    const around = task === null ? current : tx.need("phase", task.parent_phase_id)
    const phase = level === "trajectory" || around?.inbox ? null : around
    moveHead(tx, caller.session, { plan, phase, task }, now)
    // A new session's intent is this title, so the intent belongs to this record and not to a later one.
    if (isNew) tx.set("trajectory", head.id, { intent_about: (task ?? phase ?? plan).id })
    return { plan, phase, task }

    function ensurePlan(title: string): Plan {
      const open = [...tx.by("plan", "title", titleKey(title))].find(({ purpose }) => purpose === "work")
      if (open !== undefined) return open
      const plan = tx.add("plan", newPlan(tx, now, { id: newId(), title, owned_by: caller.agent }))
      ensureInbox(tx, plan)
      return plan
    }

    function addTask(phase: Parameters<typeof newTask>[2]): Task {
      const held = { assigned_to: caller.agent, assigned_session_id: caller.session }
      const words = { title: content, expected_output: content }
      return tx.add("task", newTask(tx, now, phase, { id: newId(), ...words, status: "active", ...held }))
    }
  })
}

async function heldTasks(hive: Hive, session: string, title: string): Promise<Map<string, string>> {
  const { state } = hive.store.read()
  const held = new Map<string, string>()
  for (const task of [...state.task.by("title", titleKey(title))]) {
    const holder = await holderElsewhere(hive, task, session)
    if (holder !== null && !isAbove(state, holder, session)) held.set(task.id, holder)
  }
  return held
}

function taskOfTitle(tx: Transaction, title: string, plan: string | undefined, isOnlyHere: boolean) {
  // Work on a completed plan opens it again.
  const takesWork = (of: Plan | undefined) => isOpenPlan(of) || of?.status === "completed"
  const alike = [...tx.by("task", "title", titleKey(title))].filter(
    (task) => !isUnplanned(task) && takesWork(tx.get("plan", task.parent_plan_id)),
  )
  const here = alike.find(({ parent_plan_id }) => parent_plan_id === plan)
  if (here !== undefined || isOnlyHere) return here
  return alike.sort((a, b) => compare(b.updated_at, a.updated_at) || compare(a.id, b.id))[0]
}

function hasTitle(tx: Transaction, level: string, title: string, plan: string | undefined): boolean {
  if (level === "action") return false
  if (level === "trajectory") return [...tx.by("plan", "title", titleKey(title))].length > 0
  const phases = plan === undefined ? [] : [...tx.by("phase", "parent_plan_id", plan)]
  return phases.some((phase) => titleKey(phase.title) === titleKey(title))
}
