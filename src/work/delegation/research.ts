import * as z from "zod"
import { currentTask } from "../../graph/current-task.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenDelegation, isOverTask } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { ref, text } from "../../schemas/fields.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { createQueue } from "../../shared/queue.ts"
import { shorten } from "../../shared/text/clean.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { Store } from "../../store/store.ts"
import { createPlan, type PlanInput } from "../plan/create.ts"
import { planTasks } from "../plan/plan-tasks.ts"
import { HOST_PROCESS, isHostAlive, THIS_PROCESS } from "../session/host-process.ts"
import { removeFromReadHeads } from "../task/release.ts"
import { assignTask } from "./assign.ts"
import { checkResearchBudget, isFull, openResearch } from "./research-budget.ts"

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
  const { delegation, handover } = await assignTask(hive, caller, { task_id: task.id, to: RESEARCHER })
  const prompt = `${handover}\n\nQuestion: ${question}\n${brief}`
  try {
    const session = await hive.startSession({ parent: caller.session, agent: RESEARCHER, title, prompt })
    await noteHost(hive, caller, session)
    return { task, delegation, session }
  } catch (error) {
    await closeLost(hive, caller, delegation, "it could not be started")
    throw error
  }
}

/** By which process it was started: with that, it ends. */
async function noteHost(hive: Hive, caller: Caller, session: string): Promise<void> {
  await hive.store.append(authorOf(caller), (tx) => tx.register(session, HOST_PROCESS, THIS_PROCESS))
}

/** Researchers that ended with their process, without a word: nobody else would close them. */
export async function closeLostResearch(hive: Hive, caller: Caller): Promise<number> {
  const { state } = hive.store.read()
  const now = hive.source.now()
  const lost: Delegation[] = []
  for (const each of openResearch(state)) {
    const child = each.child_session_id
    const isStarting = child === null && now - Date.parse(each.updated_at) < START_MS
    const isAtWork = child !== null && (isHostAlive(state, child) ?? isHostAlive(state, each.session_id))
    if (isStarting || isAtWork) continue
    if (child !== null && (await hive.sessionState?.(child)) === "busy") continue
    lost.push(each)
  }
  for (const each of lost) await closeLost(hive, caller, each, "lost: OpenCode ended while it was at work")
  return lost.length
}

async function closeLost(
  hive: Hive,
  caller: Caller,
  { id, task_id }: Delegation,
  reason: string,
): Promise<void> {
  const at = new Date(hive.source.now()).toISOString()
  await hive.store.write(authorOf(caller), (tx) => {
    if (!isOpenDelegation(tx.get("delegation", id))) return
    tx.set("delegation", id, { status: "failed", reason, updated_at: at })
    const task = tx.get("task", task_id)
    if (task === undefined || isOverTask(task)) return
    removeFromReadHeads(tx, task_id, at)
    tx.set("task", task_id, { status: "failed", reason, updated_at: at })
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
