import { laterSessions } from "../../graph/conversation.ts"
import { ALL } from "../../graph/indexes.ts"
import { holderOf, isOpenDelegation, isOverTask, isRunning } from "../../graph/lifecycle.ts"
import { sessionIdOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { cleanText } from "../../shared/text/clean.ts"
import { callText } from "../../shared/tool-names.ts"
import { ensureSession } from "../session/start.ts"
import { releaseTask, removeFromReadHeads } from "../task/release.ts"
import { activate } from "../task/start.ts"
import { findDelegation, runningFor, waitingFor } from "./rules.ts"

/** Binds a subagent's new session to the delegation it was started for, and starts the task there. */
export async function bindSubagent(
  hive: Hive,
  caller: Caller & { session: string; agent: string },
  parent: { session: string; agent: string | null },
  prompt: string,
): Promise<void> {
  const now = hive.source.now()
  const at = new Date(now).toISOString()
  await hive.store.write(authorOf(caller), (tx) => {
    // Where its work has gone on in another session meanwhile, what was handed on has gone along.
    const later = laterSessions((host) => tx.get("session", sessionIdOf(host)), parent.session)
    // A session that has given its work away stays closed.
    if (later.length === 0) ensureSession(tx, { ...parent, tool: caller.tool }, now, null)
    const session = ensureSession(tx, caller, now, null, parent.session)
    // Chosen inside the transaction: two subagents that start at once must not get the same one.
    const waiting = [parent.session, ...later].flatMap((each) =>
      waitingFor(tx.by("delegation", "open", ALL), each),
    )
    const delegation = findDelegation(waiting, { agent: caller.agent, prompt })
    if (delegation === undefined) return session
    const task = tx.need("task", delegation.task_id)
    tx.set("delegation", delegation.id, {
      status: "running",
      child_session_id: caller.session,
      updated_at: at,
    })
    // The subagent takes over what its parent may have begun.
    removeFromReadHeads(tx, task.id, at)
    activate(tx, task, caller.session, now)
    return session
  })
}

/** Records a subagent's report. A task that it did not end is open again. */
export async function recordReport(hive: Hive, caller: Caller, child: string, result: string): Promise<void> {
  const report = cleanText(result, MAX_RESULT)
  if (report === "") await recordFailure(hive, caller, child, "It ended without a report.")
  else await endDelegation(hive, caller, child, { status: "returned", result: report })
}

/** Records that a subagent was stopped or failed, and why. Its task is open again. */
export async function recordFailure(hive: Hive, caller: Caller, child: string, why: string): Promise<void> {
  await endDelegation(hive, caller, child, { status: "failed", reason: cleanText(why, MAX_RESULT) || null })
}

async function endDelegation(
  hive: Hive,
  caller: Caller,
  child: string,
  end: Pick<Delegation, "status"> & Partial<Delegation>,
): Promise<void> {
  const running = runningFor(hive.store.read().state, child)
  if (running === undefined) return
  const at = new Date(hive.source.now()).toISOString()
  await hive.store.write(authorOf(caller), (tx) => {
    // The end of its session and the end of the call that started it come at the same time: the first one counts.
    if (!isRunning(tx.get("delegation", running.id))) return
    tx.set("delegation", running.id, { ...end, updated_at: at })
    if (isHeldBy(tx.get("task", running.task_id), child)) endWith(tx, running.task_id, end, at)
  })
}

/** Work is open again. A question was answered with the report, or not at all: nobody takes it up later. */
function endWith(tx: Transaction, id: string, end: Partial<Delegation>, at: string): void {
  const task = tx.need("task", id)
  if (task.purpose !== "research") {
    releaseTask(tx, task, at)
    return
  }
  removeFromReadHeads(tx, id, at)
  const isAnswered = end.status === "returned"
  tx.set("task", id, {
    ...(isAnswered
      ? { status: "completed", evidence: end.result ?? null, completed_at: at }
      : { status: "failed", reason: end.reason ?? "it ended without an answer" }),
    updated_at: at,
  })
}

/** Takes a delegation back. The caller ends the child's session, which only the host can. */
export async function recallDelegation(
  hive: Hive,
  caller: Caller,
  delegationRef: string,
  reason: string,
): Promise<Delegation> {
  const id = resolveId(hive.store.read().state, "delegation", delegationRef)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const delegation = tx.need("delegation", id)
    if (!isOpenDelegation(delegation)) throw over(delegation)
    tx.set("delegation", id, { status: "recalled", reason, updated_at: at })
    const child = delegation.child_session_id
    const task = tx.get("task", delegation.task_id)
    const isUnasked = child === null && task?.purpose === "research" && !isOverTask(task)
    if (isUnasked || (child !== null && isHeldBy(task, child)))
      endWith(tx, delegation.task_id, { status: "recalled", reason }, at)
    tx.set("task", delegation.task_id, { assigned_to: null, updated_at: at })
    return tx.need("delegation", id)
  })
  return result
}

function isHeldBy(task: Task | undefined, session: string): boolean {
  return task !== undefined && holderOf(task) === session
}

function over({ id, status, to_agent }: Delegation): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: "There is nothing to recall.",
    why: `${to_agent} is not at work: the delegation is ${status}.`,
    use_instead: `See ${callText("delegate", "status")} for what is under way.`,
    evidence: `delegation ${id}: status = ${status}`,
  })
}

const MAX_RESULT = 4000
