import type { Anchor, Artifact, Mem } from "../schemas/knowledge.ts"
import type { Phase, Plan } from "../schemas/plan.ts"
import type { Session } from "../schemas/session.ts"
import type { Delegation, Task } from "../schemas/task.ts"

/*
 * The meaning of each status, once for the whole code base. Which status may follow which is in schemas/lifecycle.ts.
 * Each predicate takes a record, or the fields that an op sets: without a status the answer is no.
 */

function hasStatus<R extends { status: string }>(...wanted: R["status"][]) {
  return (record: { readonly status?: R["status"] | undefined } | undefined): boolean =>
    record?.status !== undefined && wanted.includes(record.status)
}

/** Neither done nor given up. */
export const isOpenTask = hasStatus<Task>("planned", "blocked", "active", "review")
export const isOverTask = hasStatus<Task>("completed", "failed", "invalidated")
/** Not started yet. */
export const isWaitingTask = hasStatus<Task>("planned", "blocked")
/** Something has to happen before it can be started: obstacles.ts says what. */
export const isBlockedTask = hasStatus<Task>("blocked")
/** Started, and not over: a task in review can be sent back. */
export const isTaskUnderWay = hasStatus<Task>("active", "review")
/** The only end that meets a dependency. */
export const isDoneTask = hasStatus<Task>("completed")
export const isGivenUpTask = hasStatus<Task>("failed", "invalidated")
/** Open or failed: any session may start a failed task again, but never an invalidated one. */
export const isStartableTask = hasStatus<Task>("planned", "blocked", "active", "review", "failed")
/** Open and not in review: a session may switch to it when the user's words ask for it. */
export const canBeTakenUp = hasStatus<Task>("planned", "blocked", "active")

type Held = Pick<Task, "status" | "assigned_session_id">

/** The session that works on a task; null if none does. A task in review has none: any session may review it. */
export function holderOf(task: Held): string | null {
  return task.status === "active" ? task.assigned_session_id : null
}

export function isHeldByOther(task: Held, session: string | null): boolean {
  const holder = holderOf(task)
  return holder !== null && holder !== session
}

/** Takes tasks. A draft only waits for other plans. */
export const isOpenPlan = hasStatus<Plan>("draft", "active")
export const isOverPlan = hasStatus<Plan>("completed", "archived", "abandoned")

/** Abandoned, and perhaps archived since: only an abandoned plan has a reason. */
export function isGivenUpPlan(plan: Pick<Plan, "status" | "reason"> | undefined): boolean {
  return plan?.status === "abandoned" || (plan?.status === "archived" && plan.reason !== null)
}

/** The only end that meets a dependency on a plan. */
export function isDonePlan(plan: Pick<Plan, "status" | "reason"> | undefined): boolean {
  return isOverPlan(plan) && !isGivenUpPlan(plan)
}

export const isDonePhase = hasStatus<Phase>("completed")

/** Neither replaced nor taken back. Says nothing about its age: mem-status.ts does. */
export const isMemInForce = hasStatus<Mem>("active")
/** Replaced or purged: it moves to the archive. An invalidated mem stays, as a warning. */
export const isRetiredMem = hasStatus<Mem>("superseded", "purged")

/** In force, and neither a warning nor a question. */
export function isKnowledge(mem: Pick<Mem, "status" | "kind" | "resolved">): boolean {
  return isMemInForce(mem) && mem.kind !== "false_path" && mem.resolved !== false
}

export function isOpenDecision(mem: Pick<Mem, "status" | "resolved"> | undefined): boolean {
  return isMemInForce(mem) && mem?.resolved === false
}

export function isTakenDecision(mem: Pick<Mem, "status" | "kind" | "resolved">): boolean {
  return isKnowledge(mem) && mem.kind === "decision"
}

/** Fresh or stale, but there. */
export const isAnchorKept = hasStatus<Anchor>("active", "stale")
/** Abandoned with its plan, or replaced by another file. */
export const isGoneDocument = hasStatus<Artifact>("abandoned", "superseded")

/** Its agent is at work. */
export const isRunning = hasStatus<Delegation>("running")
/** Its agent is at work or has yet to be started. */
export const isOpenDelegation = hasStatus<Delegation>("assigned", "running")

/** Closed by its user or agent, or deleted in the host. */
export const isClosedSession = hasStatus<Session>("closed")
export const isActiveSession = hasStatus<Session>("active")
