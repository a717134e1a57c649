import { requireTask } from "../../graph/current-task.ts"
import { isBlockedTask, isOpenTask, isTaskUnderWay, isWaitingTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { headIdOf, PROJECT_HEAD_ID, sessionIdOf } from "../../graph/read-head.ts"
import { isEmpty } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere, tasksIn } from "../../graph/tasks-in.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive, RunningCall } from "../../hive/hive.ts"
import { declaredChecks } from "../../project/scan/map-file.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { runInSlices } from "../../shared/slices.ts"
import { callText } from "../../shared/tool-names.ts"
import { type SessionCaller, taskRefusal, writeGraph } from "../write.ts"
import { missingEvidence, recordedEvidence } from "./evidence.ts"
import { lockHolder, requireOwnTask } from "./holder.ts"
import { activate, removeFromReadHeads, unblockTasks, waitingForTask } from "./start.ts"
import { ensureVerified } from "./verify.ts"

export interface Finished {
  task: Task
  unblocked: Task[]
  next: Task | null
}

/** Completes a task if there is evidence, and unblocks those that wait for it; a single one in the same plan starts if it can. */
export async function completeTask(
  hive: Hive,
  caller: SessionCaller,
  given: string | undefined,
  evidence: string,
  running: RunningCall,
): Promise<Finished> {
  const { state } = hive.store.read()
  const task = await requireOwnTask(hive, caller, given)
  requireUnderWay(state, task)
  const missing = await runInSlices(missingEvidence(state, task, hive.dir, evidence))
  if (missing.length > 0) throw notDone(task, missing)
  const check = task.verify ?? (await checkToRun(hive, task, evidence))
  const unverified = check === null ? undefined : await ensureVerified(hive, caller, task, check, running)
  if (unverified !== undefined) throw notDone(task, [unverified])
  return writeGraph(hive, caller, (tx, at, now) => {
    const { task: done, unblocked } = endTask(tx, task.id, at, "completed", evidence)
    const next = nextOf(tx, unblocked, task, caller, hive.store.read().state)
    return { task: done, unblocked, next: next && activate(tx, next, caller.session, now) }
  })
}

async function checkToRun(hive: Hive, task: Task, evidence: string): Promise<string | null> {
  const left = recordedEvidence(hive.store.read().state, task, hive.dir, evidence, await declaredChecks(hive))
  if (left === "words") throw notDone(task, [ONLY_WORDS])
  return left === "something" ? null : left.unclearCheck
}

export async function failTask(hive: Hive, caller: SessionCaller, given: string | undefined, reason: string) {
  const { id } = await requireOwnTask(hive, caller, given)
  return writeGraph(hive, caller, (tx, at) => endTask(tx, id, at, "failed", reason).task)
}

export async function reviewTask(hive: Hive, caller: SessionCaller, given: string | undefined) {
  const task = await requireOwnTask(hive, caller, given)
  requireUnderWay(hive.store.read().state, task)
  return writeGraph(hive, caller, (tx, at) => tx.set("task", task.id, { status: "review", updated_at: at }))
}

/** Completes or fails a task for the user. No check runs; the reason is the evidence. */
export async function closeTask(
  hive: Hive,
  caller: Caller,
  given: string,
  { outcome, reason }: { outcome: "completed" | "failed"; reason: string },
): Promise<{ task: Task; unblocked: Task[] }> {
  const { state } = hive.store.read()
  const task = requireTask(state, "", given)
  const { id, status } = task
  const parts = [...tasksIn(state, "level", id, isOpenTask)]
  if (parts.length > 0)
    throw taskRefusal(task, "was not closed", {
      why: `The task has open sub-tasks: ${parts.map((part) => part.title).join(", ")}.`,
      use_instead: "Close these sub-tasks first.",
      evidence: parts.map((part) => shortId(part.id)).join(" "),
    })
  if (!isOpenTask(task))
    throw taskRefusal(task, "was not closed", {
      why: `The task is ${status} already.`,
      use_instead: "Nothing needs to be done. `hivemind log` shows who ended the task.",
    })
  if (outcome === "completed" && isWaitingTask(task))
    await writeGraph(hive, caller, (tx, at) => tx.set("task", id, { status: "active", updated_at: at }))
  return writeGraph(hive, caller, (tx, at) => endTask(tx, id, at, outcome, reason))
}

function endTask(tx: Transaction, id: string, at: string, status: "completed" | "failed", words: string) {
  removeFromReadHeads(tx, id, at)
  const end = status === "failed" ? { reason: words } : { evidence: words, completed_at: at }
  const task = tx.set("task", id, { status, ...end, updated_at: at })
  if (status === "failed") return { task, unblocked: [] }
  completePhaseIfDone(tx, task, at)
  return { task, unblocked: unblockTasks(tx, waitingForTask(tx, id), at) }
}

/** Completes the task's phase if none of its tasks is open, except the inbox. A plan is completed later, at the turn's end. */
function completePhaseIfDone(tx: Transaction, task: Task, at: string): void {
  const phase = tx.need("phase", task.parent_phase_id)
  if (phase.inbox || phase.status !== "active") return
  const isDone = statusesWhere(isOpenTask).every((status) =>
    isEmpty(tx.by("task", `phase ${status}`, phase.id)),
  )
  if (isDone) tx.set("phase", phase.id, { status: "completed", updated_at: at })
}

function nextOf(
  tx: Transaction,
  unblocked: Task[],
  done: Task,
  { session, agent }: SessionCaller,
  state: GraphState,
): Task | null {
  const waiting = unblocked.filter((task) => task.parent_plan_id === done.parent_plan_id && !task.ahead)
  const [only] = waiting
  if (only === undefined || waiting.length > 1) return null
  if (only.assigned_to !== null && only.assigned_to !== agent) return null
  const lockedBy = (path: string) =>
    lockHolder((index, key) => tx.by("task", index, key), state, path, only.id)
  if (only.file_locks.some((path) => lockedBy(path) !== undefined)) return null
  // A subagent ends with its task, so a next task would stay active without a session.
  if (tx.get("session", sessionIdOf(session))?.parent_host_id != null) return null
  const head = tx.get("trajectory", headIdOf(session)) ?? tx.get("trajectory", PROJECT_HEAD_ID)
  return head === undefined || head.active_task_ids.length > 0 ? null : only
}

/** Throws if the task is not under way. The error names the tool call to make first. */
function requireUnderWay(state: GraphState, task: Task): void {
  if (isTaskUnderWay(task)) return
  const { id, title, status } = task
  const [obstacle] = isBlockedTask(task) ? obstaclesOf(task, lookupIn(state)) : []
  const start = `${callText("task", "start")} with task_id ${shortId(id)}`
  const canStart = isWaitingTask(task) || status === "failed"
  const free = {
    why: isWaitingTask(task) ? "The task has not been started." : "No agent works on the task any more.",
    use_instead: canStart
      ? `First ${start}.`
      : `Nothing is left to do for this task. For more work, plan another: ${callText("plan", "plan_tasks")}.`,
    evidence: `task ${id}: status = ${status}`,
  }
  const then = `Then ${start}; or ${callText("task", "fail")} with the reason.`
  const held = obstacle && { ...obstacle, use_instead: `${obstacle.use_instead} ${then}` }
  throw new HiveError({ ...(held ?? free), code: "lifecycle", what: `The task "${title}" is ${status}.` })
}

function notDone(task: Task, missing: string[]): HiveError {
  return taskRefusal(task, "is not done yet", {
    why: `Missing: ${missing.join("; ")}.`,
    use_instead: "Add what is missing and complete the task again, or use fail with the reason.",
    evidence: `task ${task.id}: ${missing.length} missing`,
  })
}

const ONLY_WORDS = `a result of the work: a changed file, a test, build or commit that passed, a mem (${callText("memory", "save")}), or the name of a file that was made`
