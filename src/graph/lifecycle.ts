import type { Anchor, Artifact, Mem } from "../schemas/knowledge.ts"
import type { Phase, Plan } from "../schemas/plan.ts"
import type { Session } from "../schemas/session.ts"
import type { Delegation, Task } from "../schemas/task.ts"

/** These functions say what a status means. They take a record, or fields that may lack a status; then they return false. */

function hasStatus<R extends { status: string }>(...wanted: R["status"][]) {
  return (record: { readonly status?: R["status"] | undefined } | undefined): boolean =>
    record?.status !== undefined && wanted.includes(record.status)
}

export const isOpenTask = hasStatus<Task>("planned", "blocked", "active", "review")
export const isOverTask = hasStatus<Task>("completed", "failed", "invalidated")
export const isWaitingTask = hasStatus<Task>("planned", "blocked")
/** True for a task that cannot start yet; `obstaclesOf` returns the reasons. */
export const isBlockedTask = hasStatus<Task>("blocked")
/** True for a started task that is not over. A task in review counts, because it can be sent back. */
export const isTaskUnderWay = hasStatus<Task>("active", "review")
/** True for a completed task. No other status satisfies a dependency on the task. */
export const isDoneTask = hasStatus<Task>("completed")
export const isGivenUpTask = hasStatus<Task>("failed", "invalidated")
/** True for open and failed tasks: a failed task may be started again. */
export const isStartableTask = hasStatus<Task>("planned", "blocked", "active", "review", "failed")
/** True for tasks that a session may switch to when the user's message is about them. */
export const canBeTakenUp = hasStatus<Task>("planned", "blocked", "active")

type Held = Pick<Task, "status" | "assigned_session_id">

/** Returns the session that works on a task, or null. A task in review has none, because any session may review it. */
export function holderOf(task: Held): string | null {
  return task.status === "active" ? task.assigned_session_id : null
}

export function isHeldByOther(task: Held, session: string | null): boolean {
  const holder = holderOf(task)
  return holder !== null && holder !== session
}

/** True for plans that take tasks. A draft is a plan that waits for other plans. */
export const isOpenPlan = hasStatus<Plan>("draft", "active")
export const isOverPlan = hasStatus<Plan>("completed", "archived", "abandoned")

/** True for an abandoned plan, even if it was archived later: of archived plans, only those have a reason. */
export function isGivenUpPlan(plan: Pick<Plan, "status" | "reason"> | undefined): boolean {
  return plan?.status === "abandoned" || (plan?.status === "archived" && plan.reason !== null)
}

/** True for a finished plan that was not abandoned. No other plan satisfies a dependency on it. */
export function isDonePlan(plan: Pick<Plan, "status" | "reason"> | undefined): boolean {
  return isOverPlan(plan) && !isGivenUpPlan(plan)
}

export const isDonePhase = hasStatus<Phase>("completed")

/** True for a mem that was not replaced, invalidated or purged. It may be stale: see `isStale`. */
export const isMemInForce = hasStatus<Mem>("active")
/** True for a replaced or purged mem, which moves to the archive. An invalidated mem stays as a warning. */
export const isRetiredMem = hasStatus<Mem>("superseded", "purged")

export function isKnowledge(mem: Pick<Mem, "status" | "kind" | "resolved">): boolean {
  return isMemInForce(mem) && mem.kind !== "false_path" && mem.resolved !== false
}

export function isOpenDecision(mem: Pick<Mem, "status" | "resolved"> | undefined): boolean {
  return isMemInForce(mem) && mem?.resolved === false
}

export function isTakenDecision(mem: Pick<Mem, "status" | "kind" | "resolved">): boolean {
  return isKnowledge(mem) && mem.kind === "decision"
}

export const isAnchorKept = hasStatus<Anchor>("active", "stale")
/** True for a document that was abandoned with its plan or replaced by another file. */
export const isGoneDocument = hasStatus<Artifact>("abandoned", "superseded")

export const isRunning = hasStatus<Delegation>("running")
export const isOpenDelegation = hasStatus<Delegation>("assigned", "running")

export const isClosedSession = hasStatus<Session>("closed")
export const isActiveSession = hasStatus<Session>("active")
