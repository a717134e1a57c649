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
  /** Tasks that can be started now. */
  unblocked: Task[]
  /** The unblocked task that was started, because it was the only one. */
  next: Task | null
}

/** Completes a task if the evidence is there. Unblocks the tasks that depend on it; a single one is started. */
export async function completeTask(
  hive: Hive,
  caller: SessionCaller,
  given: string | undefined,
  evidence: string,
  running: RunningCall = UNATTENDED,
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
    const { task: done, unblocked } = endTask(tx, task.id, at, { completed: evidence })
    const next = nextOf(tx, unblocked, task, caller, hive.store.read().state)
    return { task: done, unblocked, next: next && activate(tx, next, caller.session, now) }
  })
}

/** The check that has to run for a task without `verify`: one that the agent ran with an unknown result. */
async function checkToRun(hive: Hive, task: Task, evidence: string): Promise<string | null> {
  const left = recordedEvidence(hive.store.read().state, task, hive.dir, evidence, await declaredChecks(hive))
  if (left === "words") throw notDone(task, [ONLY_WORDS])
  return left === "something" ? null : left.unclearCheck
}

export async function failTask(
  hive: Hive,
  caller: SessionCaller,
  given: string | undefined,
  reason: string,
): Promise<Task> {
  const { id } = await requireOwnTask(hive, caller, given)
  return writeGraph(hive, caller, (tx, at) => endTask(tx, id, at, { failed: reason }).task)
}

export async function reviewTask(
  hive: Hive,
  caller: SessionCaller,
  given: string | undefined,
): Promise<Task> {
  const task = await requireOwnTask(hive, caller, given)
  requireUnderWay(hive.store.read().state, task)
  return writeGraph(hive, caller, (tx, at) => tx.set("task", task.id, { status: "review", updated_at: at }))
}

/** A person completes or fails a task, even if an agent holds it. No check is run; the reason is the evidence. */
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
      why: `It has open parts: ${parts.map((part) => part.title).join(", ")}.`,
      use_instead: "Close these first.",
      evidence: parts.map((part) => shortId(part.id)).join(" "),
    })
  if (!isOpenTask(task))
    throw taskRefusal(task, "was not closed", {
      why: `It is ${status} already.`,
      use_instead: "Nothing has to be done; `hivemind log` shows who ended it.",
    })
  // A person may close a task that was never started. It passes through `active`, as every completed task does.
  if (outcome === "completed" && isWaitingTask(task))
    await writeGraph(hive, caller, (tx, at) => tx.set("task", id, { status: "active", updated_at: at }))
  const end = outcome === "completed" ? { completed: reason } : { failed: reason }
  return writeGraph(hive, caller, (tx, at) => endTask(tx, id, at, end))
}

/** Ends a task with its evidence or the reason, and unblocks what depends on a completed one. */
function endTask(
  tx: Transaction,
  id: string,
  at: string,
  end: { completed: string } | { failed: string },
): { task: Task; unblocked: Task[] } {
  removeFromReadHeads(tx, id, at)
  if ("failed" in end)
    return {
      task: tx.set("task", id, { status: "failed", reason: end.failed, updated_at: at }),
      unblocked: [],
    }
  const completed = { status: "completed", evidence: end.completed, completed_at: at } as const
  const task = tx.set("task", id, { ...completed, updated_at: at })
  completePhaseIfDone(tx, task, at)
  return { task, unblocked: unblockTasks(tx, waitingForTask(tx, id), at) }
}

/** A phase without open tasks is completed, the inbox excepted. A plan is completed when the turn has ended. */
function completePhaseIfDone(tx: Transaction, task: Task, at: string): void {
  const phase = tx.need("phase", task.parent_phase_id)
  if (phase.inbox || phase.status !== "active") return
  const isDone = statusesWhere(isOpenTask).every((status) =>
    isEmpty(tx.by("task", `phase ${status}`, phase.id)),
  )
  if (isDone) tx.set("phase", phase.id, { status: "completed", updated_at: at })
}

/** The one task that was unblocked, if it is for this agent and the session has no other task. */
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
  // A subagent ends with its task: another one that it started would stay active without a session.
  if (tx.get("session", sessionIdOf(session))?.parent_host_id != null) return null
  const head = tx.get("trajectory", headIdOf(session)) ?? tx.get("trajectory", PROJECT_HEAD_ID)
  return head === undefined || head.active_task_ids.length > 0 ? null : only
}

/** Throws unless the task is active or in review. The error names the tool call to make first. */
function requireUnderWay(state: GraphState, task: Task): void {
  if (isTaskUnderWay(task)) return
  const { id, title, status } = task
  const [obstacle] = isBlockedTask(task) ? obstaclesOf(task, lookupIn(state)) : []
  const start = `${callText("task", "start")} with task_id ${shortId(id)}`
  const canStart = isWaitingTask(task) || status === "failed"
  const advice = canStart
    ? `First ${start}.`
    : `Nothing is left to do for it; for more work, ${callText("plan", "plan_tasks")}.`
  throw new HiveError({
    code: "lifecycle",
    what: `The task "${title}" is ${status}.`,
    why:
      obstacle?.why ?? (isWaitingTask(task) ? "It has not been started." : "No agent works on it any more."),
    use_instead:
      obstacle === undefined
        ? advice
        : `${obstacle.use_instead} Then ${start}; or ${callText("task", "fail")} with the reason.`,
    evidence: obstacle?.evidence ?? `task ${id}: status = ${status}`,
  })
}

function notDone(task: Task, missing: string[]): HiveError {
  return taskRefusal(task, "is not done yet", {
    why: `Missing: ${missing.join("; ")}.`,
    use_instead: "Add the missing part and complete it again, or use fail with the reason.",
    evidence: `task ${task.id}: ${missing.length} missing`,
  })
}

async function refuseWithoutHost(): Promise<never> {
  throw new HiveError({
    code: "host_missing",
    what: "The task's check was not run.",
    why: "Running a command takes the permission of the host, and there is no host here.",
    use_instead: "Complete it in a session of the host.",
    evidence: "no host",
  })
}

/** Without a host no permission can be asked for, so no command runs. */
const UNATTENDED: RunningCall = {
  mayRun: refuseWithoutHost,
  mayStart: refuseWithoutHost,
  show: () => {},
  signal: new AbortController().signal,
}
const ONLY_WORDS = `something that it left behind: a changed file, a test, build or commit that passed, a mem (${callText("memory", "save")}), or the name of a file that was made for it`
