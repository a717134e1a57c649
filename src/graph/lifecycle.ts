import type { Anchor, Artifact, Mem } from "../schemas/knowledge.ts"
import type { Phase, Plan } from "../schemas/plan.ts"
import type { Session } from "../schemas/session.ts"
import type { Delegation, Task } from "../schemas/task.ts"

/*
 * What a status means, once for the whole code base. Each takes the record, or as much of it as it needs, and says no
 * where there is none. Which status may follow which is in schemas/lifecycle.ts.
 */

/** A record, or what an op sets of one: where it does not set the status, the answer is no. */
type Status<R extends { status: string }> = { readonly status?: R["status"] | undefined } | undefined

/** To be done, under way or in review. A failed task is over until somebody takes it up again. */
export function isOpenTask(task: Status<Task>): boolean {
  return isWaitingTask(task) || isTaskUnderWay(task)
}

export function isOverTask(task: Status<Task>): boolean {
  return isDoneTask(task) || isGivenUpTask(task)
}

/** Nobody has begun it yet. */
export function isWaitingTask(task: Status<Task>): boolean {
  return task?.status === "planned" || isBlockedTask(task)
}

/** Something has to happen before it can be taken up: obstacles.ts says what. */
export function isBlockedTask(task: Status<Task>): boolean {
  return task?.status === "blocked"
}

/** A task in review is still somebody's work: it can be sent back. */
export function isTaskUnderWay(task: Status<Task>): boolean {
  return task?.status === "active" || task?.status === "review"
}

/** The only end that meets a dependency. */
export function isDoneTask(task: Status<Task>): boolean {
  return task?.status === "completed"
}

export function isGivenUpTask(task: Status<Task>): boolean {
  return task?.status === "failed" || task?.status === "invalidated"
}

/** Open or failed: what somebody may still start. An invalidated task never comes back. */
export function isStartableTask(task: Status<Task>): boolean {
  return isOpenTask(task) || task?.status === "failed"
}

/** Open, and nobody's turn to review: what a session may turn to when the user's words ask for it. */
export function canBeTakenUp(task: Status<Task>): boolean {
  return isWaitingTask(task) || task?.status === "active"
}

/** The session that works on a task; null if none does. A task in review is held by nobody: any session may review it. */
export function holderOf(task: Pick<Task, "status" | "assigned_session_id">): string | null {
  return task.status === "active" ? task.assigned_session_id : null
}

export function isHeldByOther(
  task: Pick<Task, "status" | "assigned_session_id">,
  session: string | null,
): boolean {
  const holder = holderOf(task)
  return holder !== null && holder !== session
}

/** Takes tasks. A draft only waits for other plans. */
export function isOpenPlan(plan: Status<Plan>): boolean {
  return plan?.status === "draft" || plan?.status === "active"
}

export function isOverPlan(plan: Status<Plan>): boolean {
  return plan?.status === "completed" || plan?.status === "archived" || plan?.status === "abandoned"
}

/** Abandoned, and perhaps put away since: only a plan that was given up has a reason. */
export function isGivenUpPlan(plan: Pick<Plan, "status" | "reason"> | undefined): boolean {
  return plan?.status === "abandoned" || (plan?.status === "archived" && plan.reason !== null)
}

/** The only end that meets a dependency on a plan. */
export function isDonePlan(plan: Pick<Plan, "status" | "reason"> | undefined): boolean {
  return isOverPlan(plan) && !isGivenUpPlan(plan)
}

export function isDonePhase(phase: Status<Phase>): boolean {
  return phase?.status === "completed"
}

/** Nothing has replaced it, and nobody has taken it back. Says nothing about its age: staleness.ts does. */
export function isMemInForce(mem: Status<Mem>): boolean {
  return mem?.status === "active"
}

/** Replaced or purged: it moves to the archive. One that was taken back stays, as a warning. */
export function isRetiredMem(mem: Status<Mem>): boolean {
  return mem?.status === "superseded" || mem?.status === "purged"
}

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
export function isAnchorKept(anchor: Status<Anchor>): boolean {
  return anchor?.status === "active" || anchor?.status === "stale"
}

/** Abandoned with its plan, or replaced by another file: nobody goes by it any more. */
export function isGoneDocument(artifact: Status<Artifact>): boolean {
  return artifact?.status === "abandoned" || artifact?.status === "superseded"
}

/** Its agent is at work. */
export function isRunning(delegation: Status<Delegation>): boolean {
  return delegation?.status === "running"
}

/** Its agent is at work or has yet to be started. */
export function isOpenDelegation(delegation: Status<Delegation>): boolean {
  return delegation?.status === "assigned" || isRunning(delegation)
}

/** Ended by somebody: closed, or deleted in the host. */
export function isClosedSession(session: Status<Session>): boolean {
  return session?.status !== undefined && !isActiveSession(session)
}

export function isActiveSession(session: Status<Session>): boolean {
  return session?.status === "active"
}
