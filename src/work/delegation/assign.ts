import * as z from "zod"
import { laterSessions } from "../../graph/conversation.ts"
import { requireTask } from "../../graph/current-task.ts"
import { ALL } from "../../graph/indexes.ts"
import { holderOf, isHeldByOther, isOpenDelegation, isOverTask, isRunning } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { sessionIdOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { line, ref } from "../../schemas/fields.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { cleanText } from "../../shared/text/clean.ts"
import { callText } from "../../shared/tool-names.ts"
import { ensureSession } from "../session/session.ts"
import { heldElsewhere, holderElsewhere, isAlive } from "../task/holder.ts"
import { activate, releaseTask, removeFromReadHeads } from "../task/start.ts"
import { type SessionCaller, taskRefusal, writeGraph } from "../write.ts"
import { agentsAbove, findDelegation, runningFor, waitingFor } from "./check-delegation.ts"

export const assignment = z.strictObject({ task_id: ref, to: line, allowed_tools: z.array(line).optional() })

/** Hands a task to an agent. Returns the prompt for that agent. */
export async function assignTask(hive: Hive, caller: SessionCaller, input: z.infer<typeof assignment>) {
  const { state } = hive.store.read()
  const task = requireTask(state, caller.session, input.task_id)
  const { id, status, title, stamp } = task
  const [obstacle] = obstaclesOf(task, lookupIn(state))
  if (obstacle !== undefined) throw taskRefusal(task, NOT_DELEGATED, obstacle)
  if (input.to === caller.agent)
    throw new HiveError({
      code: "circle",
      what: "The task was not delegated.",
      why: `You are ${input.to} yourself.`,
      use_instead: "Start the task, or name another agent.",
      evidence: `to = ${input.to}`,
    })
  if (isOverTask(task))
    throw taskRefusal(task, NOT_DELEGATED, { why: `The task is ${status}.`, use_instead: "Plan a new task." })
  const holder = await holderElsewhere(hive, task, caller.session)
  const running = [...state.delegation.by("task_id", id)].find(isRunning)
  const child = running?.child_session_id ?? null
  const isAtWork = child !== null && (await isAlive(hive, child, { task, caller: caller.session }))
  if (running !== undefined && isAtWork) throw alreadyRunning(task, running)
  if (holder !== null) throw heldElsewhere(task, holder, NOT_DELEGATED)
  const allowed_tools = input.allowed_tools ?? task.allowed_tools
  const delegation = await writeGraph(hive, caller, (tx, at) => {
    const now = tx.need("task", id)
    const earlier = [...tx.by("delegation", "task_id", id)]
    const since = earlier.find((each) => isRunning(each) && each.id !== running?.id)
    if (since !== undefined) throw alreadyRunning(now, since)
    if (running !== undefined)
      tx.set("delegation", running.id, {
        status: "failed",
        reason: "the session of the subagent has ended",
        updated_at: at,
      })
    if (isHeldByOther(now, caller.session)) releaseTask(tx, now, at)
    for (const old of earlier)
      if (old.status === "assigned")
        tx.set("delegation", old.id, { status: "recalled", reason: "assigned anew", updated_at: at })
    tx.set("task", id, { assigned_to: input.to, delegated_by: caller.agent, updated_at: at })
    return tx.add("delegation", {
      id: hive.source.newId(),
      task_id: id,
      from_agent: caller.agent ?? "unknown",
      to_agent: input.to,
      session_id: caller.session,
      child_session_id: null,
      allowed_tools,
      depth: agentsAbove(state, caller.session).length + 1,
      status: "assigned",
      result: null,
      reason: null,
      created_at: at,
      updated_at: at,
      stamp,
    })
  })
  // The prompt is short, because the agent gets the packed state of the task anyway.
  const tools = allowed_tools === null ? "" : ` You may use: ${allowed_tools.join(", ")}.`
  const verify = task.verify === null ? "" : ` It must pass: ${task.verify}.`
  const handover = `Delegation ${shortId(delegation.id)}, task ${shortId(id)}: ${title}. Expected: ${task.expected_output}.${verify}${tools} When done: ${callText("task", "complete")} with the evidence, then report what you did.`
  return { delegation, handover }
}

function alreadyRunning(task: Task, running: Delegation): HiveError {
  return taskRefusal(task, NOT_DELEGATED, {
    code: "conflict",
    why: `${running.to_agent} is working on the task.`,
    use_instead: `Wait until it has finished, or stop it first: recall delegation ${shortId(running.id)}.`,
    evidence: `delegation ${running.id}: running`,
  })
}

export async function bindSubagent(
  hive: Hive,
  caller: SessionCaller & { agent: string },
  parent: { session: string; agent: string | null },
  prompt: string,
): Promise<void> {
  await writeGraph(hive, caller, (tx, at, now) => {
    // The parent's work may have moved to another session meanwhile, and the delegation with it.
    const later = laterSessions((host) => tx.get("session", sessionIdOf(host)), parent.session)
    if (later.length === 0) ensureSession(tx, { ...parent, tool: caller.tool }, now, null)
    ensureSession(tx, caller, now, null, parent.session)
    // The delegation is chosen inside the transaction: two subagents that start at once must not get the same one.
    const waiting = [parent.session, ...later].flatMap((each) =>
      waitingFor(tx.by("delegation", "open", ALL), each),
    )
    const delegation = findDelegation(waiting, { agent: caller.agent, prompt })
    if (delegation === undefined) return
    const running = { status: "running", child_session_id: caller.session } as const
    tx.set("delegation", delegation.id, { ...running, updated_at: at })
    removeFromReadHeads(tx, delegation.task_id, at)
    activate(tx, tx.need("task", delegation.task_id), caller.session, now)
  })
}

export async function recordReport(hive: Hive, caller: Caller, child: string, result: string): Promise<void> {
  const report = cleanText(result, MAX_RESULT)
  if (report === "") await recordFailure(hive, caller, child, "The subagent ended without a report.")
  else await endDelegation(hive, caller, child, { status: "returned", result: report })
}

export async function recordFailure(hive: Hive, caller: Caller, child: string, why: string): Promise<void> {
  await endDelegation(hive, caller, child, { status: "failed", reason: cleanText(why, MAX_RESULT) || null })
}

type DelegationEnd = Pick<Delegation, "status"> & Partial<Delegation>

async function endDelegation(hive: Hive, caller: Caller, child: string, end: DelegationEnd): Promise<void> {
  const running = runningFor(hive.store.read().state, child)
  if (running === undefined) return
  await writeGraph(hive, caller, (tx, at) => {
    // Both the subagent's session and the call that started it report its end. Only the first report counts.
    if (!isRunning(tx.get("delegation", running.id))) return
    tx.set("delegation", running.id, { ...end, updated_at: at })
    const task = tx.get("task", running.task_id)
    if (task !== undefined && holderOf(task) === child) endWork(tx, task, end, at)
  })
}

function endWork(tx: Transaction, task: Task, { status, result, reason }: DelegationEnd, at: string): void {
  if (task.purpose !== "research") {
    releaseTask(tx, task, at)
    return
  }
  removeFromReadHeads(tx, task.id, at)
  const done = { status: "completed", evidence: result ?? null, completed_at: at, updated_at: at } as const
  if (status === "returned") tx.set("task", task.id, done)
  else failQuestion(tx, task.id, reason ?? "the researcher ended without an answer", at)
}

export function failQuestion(tx: Transaction, task: string, reason: string, at: string): void {
  tx.set("task", task, { status: "failed", reason, updated_at: at })
}

/** Recalls a delegation. The caller must end the child's session, because only the host can do that. */
export function recallDelegation(hive: Hive, caller: Caller, given: string, reason: string) {
  const id = resolveId(hive.store.read().state, "delegation", given)
  return writeGraph(hive, caller, (tx, at) => {
    const { status, to_agent, child_session_id: child, task_id } = tx.need("delegation", id)
    if (!isOpenDelegation({ status }))
      throw new HiveError({
        code: "lifecycle",
        what: "No delegation was recalled.",
        why: `${to_agent} is not at work: the delegation is ${status}.`,
        use_instead: `See ${callText("delegate", "status")} for the delegations under way.`,
        evidence: `delegation ${id}: status = ${status}`,
      })
    tx.set("delegation", id, { status: "recalled", reason, updated_at: at })
    const task = tx.get("task", task_id)
    const isUnasked = child === null && task?.purpose === "research" && !isOverTask(task)
    const isHeld = child !== null && task !== undefined && holderOf(task) === child
    if (task !== undefined && (isUnasked || isHeld)) endWork(tx, task, { status: "recalled", reason }, at)
    tx.set("task", task_id, { assigned_to: null, updated_at: at })
    return tx.need("delegation", id)
  })
}

const NOT_DELEGATED = "was not delegated"
const MAX_RESULT = 4000
