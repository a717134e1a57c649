import * as z from "zod"
import { currentTask } from "../../graph/current-task.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenDelegation, isOverTask } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive, type StartedResearch } from "../../hive/hive.ts"
import { ref, text } from "../../schemas/fields.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { createQueue } from "../../shared/queue.ts"
import { shorten } from "../../shared/text/clean.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { Store } from "../../store/store.ts"
import { createPlan, type PlanInput } from "../plan/create.ts"
import { planTasks } from "../plan/plan-tasks.ts"
import { HOST_PROCESS, hostState, THIS_PROCESS } from "../session/host-process.ts"
import { removeFromReadHeads } from "../task/release.ts"
import { assignTask } from "./assign.ts"
import { checkPlace, checkResearchBudget, isFull, openResearch } from "./research-budget.ts"

/** What an investigator is asked: the arguments of a call. */
export const researchQuestion = z.strictObject({ question: text, task_id: ref.optional() })

export interface Research extends z.infer<typeof researchQuestion> {
  /** What to look at, and what the answer should be like. */
  brief?: string | undefined
  /** A report is apart from the session's plan: no task waits for it, and the read-head stays. */
  purpose?: "research" | "report" | undefined
}

/**
 * Starts an investigator in a session of its own, beside the caller. Its mems and its report belong to the question's
 * task. One start after another: each has to count those before it.
 */
export function research(
  hive: Hive,
  caller: Caller & { session: string },
  asked: Research,
): Promise<Started> {
  const queue = starts.get(hive.store) ?? createQueue()
  starts.set(hive.store, queue)
  return queue.run(() => start(hive, caller, asked))
}

export interface Started {
  task: Task
  delegation: Delegation
  session: string
}

async function start(
  hive: Hive,
  caller: Caller & { session: string },
  { question, task_id, brief = SAVE_FINDINGS, purpose = "research" }: Research,
): Promise<Started> {
  // Another process may have died since this one started: what it has left holds no place.
  if (isFull(hive)) await closeLostResearch(hive, caller)
  await checkResearchBudget(hive)
  const { state } = hive.store.read()
  const isAside = purpose === "report"
  const parent = task_id ?? (isAside ? undefined : currentTask(state, caller.session)?.id)
  const title = shorten(`Find out: ${question}`, MAX_TITLE)
  // Without a plan at hand it goes to the one of all research: no plan of the user's is made up for it.
  const atHand = isAside ? undefined : headOf(state, caller.session)?.active_plan_id
  const planInput: PlanInput = { title: TITLE, acceptance: [], purpose: "research" }
  const plan = atHand ?? researchPlan(state) ?? (await createPlan(hive, caller, planInput)).plan.id
  const expected_output = "an answer with its evidence"
  const [task] = await planTasks(hive, caller, plan, [
    { title, purpose, expected_output, assigned_to: RESEARCHER, parent_task_id: parent },
  ])
  if (task === undefined) throw new Error("a task was planned, but none came back")
  await noteHost(hive, caller, caller.session)
  const { delegation, handover } = await assigned(hive, caller, task)
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
    try {
      await failResearch(hive, caller, delegation.id, "it could not be started")
    } finally {
      if (session !== undefined) stopStarted(hive, { delegation: delegation.id, session })
    }
    throw error
  }
}

/** It is at work, though its start counts as failed. Not waited for: a host that hangs must not keep the next from starting. */
function stopStarted(hive: Hive, started: StartedResearch): void {
  // Where the host refuses, whoever watches over them tries again.
  hive.endSession(started.session).catch(() => hive.onResearch?.(started))
}

/** A question that nobody could be given is over: it must not wait in the user's plan. */
async function assigned(hive: Hive, caller: Caller & { session: string }, task: Task) {
  try {
    return await assignTask(hive, caller, { task_id: task.id, to: RESEARCHER })
  } catch (error) {
    const over = { status: "failed", reason: "it could not be handed on" } as const
    await hive.store.write(authorOf(caller), (tx) => tx.set("task", task.id, over))
    throw error
  }
}

/** The next one waits for this: a host that hangs must not keep all others from being started. */
async function startInTime(
  hive: Hive,
  asked: Parameters<Hive["startSession"]>[0],
  delegation: string,
): Promise<string> {
  const starting = hive.startSession(asked)
  const started = await withTimeout(starting, START_MS)
  if (!started.timedOut) return started.value
  // One that begins after all has no place any more: whoever watches over them stops it.
  starting.then(
    (session) => hive.onResearch?.({ delegation, session }),
    () => {}, // It has failed twice now.
  )
  throw new Error("the host did not start it in time")
}

/** By which process it was started: with that, it ends. */
async function noteHost(hive: Hive, caller: Caller, session: string): Promise<void> {
  await hive.store.append(authorOf(caller), (tx) => tx.register(session, HOST_PROCESS, THIS_PROCESS))
}

/** Researchers that ended with their process, without a word: nobody else would close them. */
export async function closeLostResearch(hive: Hive, caller: Caller): Promise<number> {
  const lost: Delegation[] = []
  for (const each of openResearch(hive.store.read().state)) {
    if (!isLost(hive, each)) continue
    const child = each.child_session_id
    if (child === null || (await isIdle(hive, child))) lost.push(each)
  }
  for (const { id } of lost) await failResearch(hive, caller, id, "lost: OpenCode ended while it was at work")
  return lost.length
}

/** Has the process ended that has started it? One on another machine, or in another container, is lost with its time. */
function isLost(
  hive: Hive,
  { session_id, child_session_id: child, created_at, updated_at }: Delegation,
): boolean {
  const { state } = hive.store.read()
  const now = hive.source.now()
  if (child === null && now - Date.parse(updated_at) < START_MS) return false // It is being started.
  const process = hostState(state, child) ?? hostState(state, session_id) ?? "dead"
  if (process !== "unknown") return process === "dead"
  return now - Date.parse(created_at) > hive.config.research.minutes * 60_000 + ELSEWHERE_MS
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
  const at = new Date(hive.source.now()).toISOString()
  await hive.store.write(authorOf(caller), (tx) => {
    const delegation = tx.get("delegation", id)
    if (delegation === undefined || !isOpenDelegation(delegation)) return
    tx.set("delegation", id, { status: "failed", reason, updated_at: at })
    const task = tx.get("task", delegation.task_id)
    if (task === undefined || isOverTask(task)) return
    removeFromReadHeads(tx, task.id, at)
    tx.set("task", task.id, { status: "failed", reason, updated_at: at })
  })
}

function researchPlan(state: GraphState): string | undefined {
  const [plan] = state.plan.by("research", ALL)
  return plan?.id
}

const starts = new WeakMap<Store, ReturnType<typeof createQueue>>()

/** Who finds things out. */
export const RESEARCHER = "hive-investigator"
const TITLE = "Research"
const MAX_TITLE = 500
const SAVE_FINDINGS = `Save each finding with ${toolName("memory")} as you go.`
// A session is made in moments.
const START_MS = 60_000
// Their clocks may differ, and it takes a moment to stop one.
const ELSEWHERE_MS = 300_000
