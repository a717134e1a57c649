import * as z from "zod"
import { currentTask } from "../../graph/current-task.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenDelegation, isOverTask } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { HOST_PROCESS, hostState, THIS_PROCESS } from "../../hive/host-process.ts"
import { ref, text } from "../../schemas/fields.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { createQueue } from "../../shared/queue.ts"
import { shorten } from "../../shared/text/clean.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { Store } from "../../store/store.ts"
import { createPlan, planTasks } from "../plan/create.ts"
import { removeFromReadHeads } from "../task/start.ts"
import { type SessionCaller, writeGraph } from "../write.ts"
import { assignTask, failQuestion } from "./assign.ts"
import { checkPlace, checkResearchBudget, openResearch } from "./research-budget.ts"

export const researchQuestion = z.strictObject({ question: text, task_id: ref.optional() })

interface Research extends z.infer<typeof researchQuestion> {
  /** Where to look, and the form of the answer. */
  brief?: string | undefined
  /** A report is apart from the session's plan: no task waits for it, and the read-head stays. */
  purpose?: "research" | "report" | undefined
}

interface Started {
  task: Task
  delegation: Delegation
  session: string
}

/**
 * Starts an investigator in a session of its own, beside the caller. Its mems and its report belong to the question's
 * task. Starts run one after another, because each has to count those before it.
 */
export function research(hive: Hive, caller: SessionCaller, asked: Research): Promise<Started> {
  const queue = starts.get(hive.store) ?? createQueue()
  starts.set(hive.store, queue)
  return queue.run(() => start(hive, caller, asked))
}

async function start(
  hive: Hive,
  caller: SessionCaller,
  { question, task_id, brief = SAVE_FINDINGS, purpose = "research" }: Research,
): Promise<Started> {
  const { state } = hive.store.read()
  // Another process may have died since this one started: its researchers no longer count.
  if (openResearch(state).length >= hive.config.research.at_once) await closeLostResearch(hive, caller)
  await checkResearchBudget(hive)
  const title = shorten(`Find out: ${question}`, MAX_TITLE)
  const task = await planQuestion(hive, caller, { title, task_id, purpose })
  await noteHost(hive, caller, caller.session)
  const { delegation, handover } = await assignQuestion(hive, caller, task)
  const prompt = `${handover}\n\nQuestion: ${question}\n${brief}`
  let session: string | undefined
  try {
    checkPlace(hive, delegation)
    const asked = { parent: caller.session, agent: RESEARCHER, title, prompt }
    session = await startInTime(hive, asked, delegation.id)
    hive.onResearch?.({ delegation: delegation.id, session })
    await noteHost(hive, caller, session)
    return { task, delegation, session }
  } catch (error) {
    const started = session === undefined ? undefined : { delegation: delegation.id, session }
    try {
      await failResearch(hive, caller, delegation.id, "it could not be started")
    } finally {
      // Not waited for: a host that hangs must not block the next start. Where the host refuses, the watcher tries again.
      if (started !== undefined) hive.endSession(started.session).catch(() => hive.onResearch?.(started))
    }
    throw error
  }
}

/** Without an active plan the question goes into the plan of all research: the user's plans stay as they are. */
async function planQuestion(
  hive: Hive,
  caller: SessionCaller,
  { title, task_id, purpose }: { title: string; task_id: string | undefined; purpose: "research" | "report" },
): Promise<Task> {
  const { state } = hive.store.read()
  const isAside = purpose === "report"
  const parent = task_id ?? (isAside ? undefined : currentTask(state, caller.session)?.id)
  const [ofResearch] = state.plan.by("research", ALL)
  const found = (isAside ? undefined : headOf(state, caller.session)?.active_plan_id) ?? ofResearch?.id
  const plan =
    found ?? (await createPlan(hive, caller, { title: TITLE, acceptance: [], purpose: "research" })).plan.id
  const expected_output = "an answer with its evidence"
  const [task] = await planTasks(hive, caller, plan, [
    { title, purpose, expected_output, assigned_to: RESEARCHER, parent_task_id: parent },
  ])
  if (task === undefined) throw new Error("a task was planned, but none came back")
  return task
}

/** A question that could not be assigned is over: it must not wait in the user's plan. */
async function assignQuestion(hive: Hive, caller: SessionCaller, { id }: Task) {
  try {
    return await assignTask(hive, caller, { task_id: id, to: RESEARCHER })
  } catch (error) {
    await writeGraph(hive, caller, (tx, at) => failQuestion(tx, id, "it could not be handed on", at))
    throw error
  }
}

/** The next start waits for this one, so a host that hangs must not block it. */
async function startInTime(
  hive: Hive,
  asked: Parameters<Hive["startSession"]>[0],
  delegation: string,
): Promise<string> {
  const starting = hive.startSession(asked)
  const started = await withTimeout(starting, START_MS)
  if (!started.timedOut) return started.value
  // A session that begins after all is stopped by the watcher.
  starting.then(
    (session) => hive.onResearch?.({ delegation, session }),
    () => {}, // It has failed twice now.
  )
  throw new Error("the host did not start it in time")
}

/** Notes the process that started a session: it ends with that process. */
async function noteHost(hive: Hive, caller: Caller, session: string): Promise<void> {
  await hive.store.append(authorOf(caller), (tx) => tx.register(session, HOST_PROCESS, THIS_PROCESS))
}

/** Fails researchers whose process has ended: they will never report. Returns how many. */
export async function closeLostResearch(hive: Hive, caller: Caller): Promise<number> {
  const lost: Delegation[] = []
  for (const each of openResearch(hive.store.read().state)) {
    const child = each.child_session_id
    if (isLost(hive, each) && (child === null || (await isIdle(hive, child)))) lost.push(each)
  }
  for (const { id } of lost) await failResearch(hive, caller, id, "lost: OpenCode ended while it was at work")
  return lost.length
}

/** Has the process that started it ended? On another machine or in another container it is lost when its time is over. */
function isLost(
  { store, source, config }: Hive,
  { session_id, child_session_id: child, created_at, updated_at }: Delegation,
): boolean {
  const { state } = store.read()
  const now = source.now()
  if (child === null && now - Date.parse(updated_at) < START_MS) return false // It is being started.
  const process = hostState(state, child) ?? hostState(state, session_id) ?? "dead"
  if (process !== "unknown") return process === "dead"
  return now - Date.parse(created_at) > config.research.minutes * 60_000 + ELSEWHERE_MS
}

/** Where the host cannot say, it may be at work. */
async function isIdle(hive: Hive, session: string): Promise<boolean> {
  try {
    return (await hive.sessionState?.(session)) !== "busy"
  } catch {
    return false // Asked again with the next start, or when a place is needed.
  }
}

/** Ends a researcher that will not report any more, and its question with it. */
export async function failResearch(hive: Hive, caller: Caller, id: string, reason: string): Promise<void> {
  await writeGraph(hive, caller, (tx, at) => {
    const delegation = tx.get("delegation", id)
    if (delegation === undefined || !isOpenDelegation(delegation)) return
    tx.set("delegation", id, { status: "failed", reason, updated_at: at })
    const task = tx.get("task", delegation.task_id)
    if (task === undefined || isOverTask(task)) return
    removeFromReadHeads(tx, task.id, at)
    failQuestion(tx, task.id, reason, at)
  })
}

const starts = new WeakMap<Store, ReturnType<typeof createQueue>>()

export const RESEARCHER = "hive-investigator"
const TITLE = "Research"
const MAX_TITLE = 500
const SAVE_FINDINGS = `Save each finding with ${toolName("memory")} as you go.`
// A session is made in moments.
const START_MS = 60_000
// Clocks of machines may differ, and stopping a session takes a moment.
const ELSEWHERE_MS = 300_000
