import { isBlockedTask, isOpenTask, isTaskUnderWay, isWaitingTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { headIdOf, PROJECT_HEAD_ID, sessionIdOf } from "../../graph/read-head.ts"
import { isEmpty } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { RunningCall } from "../../hive/running-call.ts"
import { declaredChecks } from "../../project/scan/declared-checks.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { runInSlices } from "../../shared/slices.ts"
import { callText } from "../../shared/tool-names.ts"
import { leftBehind, missingEvidence } from "./evidence.ts"
import { heldLocks, lockHolder } from "./file-locks.ts"
import { requireOwnTask } from "./holder.ts"
import { removeFromReadHeads } from "./release.ts"
import { activate } from "./start.ts"
import { unblockTasks, waitingForTask } from "./unblock.ts"
import { ensureVerified } from "./verify.ts"

export interface Finished {
  task: Task
  /** Tasks that can be started now. */
  unblocked: Task[]
  /** The one that was started at once, because it was the only one. */
  next: Task | null
}

/** Completes a task, if the evidence is there. Unblocks what waited for it; if that is a single task, it is started. */
export async function completeTask(
  hive: Hive,
  caller: Caller & { session: string },
  taskRef: string | undefined,
  evidence: string,
  running: RunningCall = UNATTENDED,
): Promise<Finished> {
  const { store, source } = hive
  const { state } = store.read()
  const task = await requireOwnTask(hive, caller, taskRef)
  const { id } = task
  requireUnderWay(state, task)
  const missing = await runInSlices(missingEvidence(state, task, hive.dir, evidence))
  if (missing.length > 0) throw notDone(task, missing)
  const check = task.verify ?? (await checkToRun(hive, task, evidence))
  const unverified = check === null ? undefined : await ensureVerified(hive, caller, task, check, running)
  if (unverified !== undefined) throw notDone(task, [unverified])
  const now = source.now()
  const at = new Date(now).toISOString()
  const { result } = await store.write(authorOf(caller), (tx) => {
    tx.set("task", id, { status: "completed", evidence, completed_at: at, updated_at: at })
    removeFromReadHeads(tx, id, at)
    completePhaseIfDone(tx, tx.need("task", id), at)
    const unblocked = unblockTasks(tx, waitingForTask(tx, id), at)
    const next = nextOf(tx, unblocked, task, caller, store.read().state)
    if (next !== undefined) activate(tx, next, caller.session, now)
    return {
      task: tx.need("task", id),
      unblocked,
      next: next === undefined ? null : tx.need("task", next.id),
    }
  })
  return result
}

/** The check that has to run for a task without `verify`: one that the agent ran with a result that is not known. */
async function checkToRun(hive: Hive, task: Task, evidence: string): Promise<string | null> {
  const left = leftBehind(hive.store.read().state, task, hive.dir, evidence, await declaredChecks(hive))
  if (left === "words") throw notDone(task, [ONLY_WORDS])
  return left === "something" ? null : left.unclearCheck
}

export async function failTask(
  hive: Hive,
  caller: Caller & { session: string },
  taskRef: string | undefined,
  reason: string,
): Promise<Task> {
  const { id } = await requireOwnTask(hive, caller, taskRef)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    tx.set("task", id, { status: "failed", reason, updated_at: at })
    removeFromReadHeads(tx, id, at)
    return tx.need("task", id)
  })
  return result
}

export async function reviewTask(
  hive: Hive,
  caller: Caller & { session: string },
  taskRef: string | undefined,
): Promise<Task> {
  const task = await requireOwnTask(hive, caller, taskRef)
  requireUnderWay(hive.store.read().state, task)
  const { id } = task
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    tx.set("task", id, { status: "review", updated_at: at })
    return tx.need("task", id)
  })
  return result
}

/** A phase without open tasks is completed, the inbox excepted. A plan is not: somebody has to archive it. */
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
  caller: Caller & { session: string },
  state: GraphState,
): Task | undefined {
  const waiting = unblocked.filter((task) => task.parent_plan_id === done.parent_plan_id && !task.ahead)
  const [only] = waiting
  if (only === undefined || waiting.length > 1) return undefined
  if (only.assigned_to !== null && only.assigned_to !== caller.agent) return undefined
  const find = heldLocks((index, key) => tx.by("task", index, key), state)
  if (only.file_locks.some((path) => lockHolder(find, path, only.id) !== undefined)) return undefined
  // A subagent ends with its task: another one that it started would stay active with nobody on it.
  if (tx.get("session", sessionIdOf(caller.session))?.parent_host_id != null) return undefined
  const head = tx.get("trajectory", headIdOf(caller.session)) ?? tx.get("trajectory", PROJECT_HEAD_ID)
  return head === undefined || head.active_task_ids.length > 0 ? undefined : only
}

/** Throws unless the task is active or in review. The error names the tool call to make first. */
function requireUnderWay(state: GraphState, task: Task): void {
  if (isTaskUnderWay(task)) return
  const { id, title, status } = task
  const [obstacle] = isBlockedTask(task) ? obstaclesOf(task, lookupIn(state)) : []
  const start = `${callText("task", "start")} with task_id ${shortId(id)}`
  throw new HiveError({
    code: "lifecycle",
    what: `The task "${title}" is ${status}.`,
    why: obstacle?.why ?? (isWaitingTask(task) ? "Nobody has started it." : "Nobody works on it any more."),
    use_instead:
      obstacle !== undefined
        ? `${obstacle.instead} Then ${start}; or ${callText("task", "fail")} with the reason.`
        : isWaitingTask(task) || status === "failed"
          ? `First ${start}.`
          : `Nothing is left to do for it; for more work, ${callText("plan", "plan_tasks")}.`,
    evidence: obstacle?.evidence ?? `task ${id}: status = ${status}`,
  })
}

function notDone(task: Task, missing: string[]): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: `The task "${task.title}" is not done yet.`,
    why: `Missing: ${missing.join("; ")}.`,
    use_instead: "Add what is missing and complete it again, or use fail with the reason.",
    evidence: `task ${task.id}: ${missing.length} missing`,
  })
}

async function nobodyToAsk(): Promise<never> {
  throw new HiveError({
    code: "host_missing",
    what: "The task's check was not run.",
    why: "Running a command takes the permission of the host, and there is no host here.",
    use_instead: "Complete it in a session of the host.",
    evidence: "no host",
  })
}

/** Without a host there is nobody to ask whether a command may run: none does. */
const UNATTENDED: RunningCall = {
  mayRun: nobodyToAsk,
  mayStart: nobodyToAsk,
  show: () => {},
  signal: new AbortController().signal,
}
const ONLY_WORDS = `something that it left behind: a changed file, a test, build or commit that passed, a mem (${callText("memory", "save")}), or the name of a file that was made for it`
