import * as z from "zod"
import { currentTask } from "../../graph/current-task.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenDelegation, isOverTask } from "../../graph/lifecycle.ts"
import { compactionsOf, registersOf } from "../../graph/metrics.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { HOST_PROCESS, hostState, THIS_PROCESS } from "../../hive/host-process.ts"
import { ref, text } from "../../schemas/fields.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { createQueue } from "../../shared/queue.ts"
import { runInSlices } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { DAY_MS } from "../../shared/time.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { Store } from "../../store/store.ts"
import { createPlan, planTasks } from "../plan/create.ts"
import { removeFromReadHeads } from "../task/start.ts"
import { type SessionCaller, writeGraph } from "../write.ts"
import { assignTask, failQuestion } from "./assign.ts"

export const researchQuestion = z.strictObject({ question: text, task_id: ref.optional() })

interface Research extends z.infer<typeof researchQuestion> {
  brief?: string | undefined
  purpose?: "research" | "report" | undefined
}

type Started = { task: Task; delegation: Delegation; session: string }

/** Starts a researcher in its own session. Calls are queued: each counts the researchers that earlier calls started. */
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
  const title = shorten(`Find out: ${question}`, 500)
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
      await failResearch(hive, caller, delegation.id, "the researcher could not be started")
    } finally {
      // The call is not awaited: a host that hangs must not block the next start. If it fails, `onResearch` tries again.
      if (started !== undefined) hive.endSession(started.session).catch(() => hive.onResearch?.(started))
    }
    throw error
  }
}

/** Plans a task for the question in the active plan, or else in the plan that collects all research. */
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

async function assignQuestion(hive: Hive, caller: SessionCaller, { id }: Task) {
  try {
    return await assignTask(hive, caller, { task_id: id, to: RESEARCHER })
  } catch (error) {
    await writeGraph(hive, caller, (tx, at) =>
      failQuestion(tx, id, "the question could not be delegated", at),
    )
    throw error
  }
}

/** Starts a researcher's session. Gives up after a minute, because the host may hang and the next start waits. */
async function startInTime(hive: Hive, asked: Parameters<Hive["startSession"]>[0], delegation: string) {
  const starting = hive.startSession(asked)
  const started = await withTimeout(starting, START_MS)
  if (!started.timedOut) return started.value
  starting.then(
    (session) => hive.onResearch?.({ delegation, session }),
    () => {}, // The timeout was reported already.
  )
  throw new Error("the host did not start the researcher in time")
}

async function noteHost(hive: Hive, caller: Caller, session: string): Promise<void> {
  await hive.store.append(authorOf(caller), (tx) => tx.register(session, HOST_PROCESS, THIS_PROCESS))
}

/** Fails researchers whose process has ended: they will never report. Returns how many. */
export async function closeLostResearch(hive: Hive, caller: Caller): Promise<number> {
  const lost: Delegation[] = []
  for (const each of openResearch(hive.store.read().state)) {
    const child = each.child_session_id
    if (!isLost(hive, each)) continue
    // If the host fails to answer, the researcher counts as busy: the next check asks again.
    const state = child === null ? "idle" : await hive.sessionState?.(child).catch(() => "busy")
    if (state !== "busy") lost.push(each)
  }
  for (const { id } of lost)
    await failResearch(hive, caller, id, "lost: OpenCode ended while the researcher was at work")
  return lost.length
}

/** Whether a researcher's process has ended. For one on another machine, the researcher's time limit decides. */
function isLost(
  { store, source, config }: Hive,
  { session_id, child_session_id: child, created_at, updated_at }: Delegation,
): boolean {
  const { state } = store.read()
  const now = source.now()
  if (child === null && now - Date.parse(updated_at) < START_MS) return false // It is still being started.
  const process = hostState(state, child) ?? hostState(state, session_id) ?? "dead"
  if (process !== "unknown") return process === "dead"
  return now - Date.parse(created_at) > config.research.minutes * 60_000 + ELSEWHERE_MS
}

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

async function checkResearchBudget(hive: Hive): Promise<void> {
  const { at_once, tokens_per_day } = hive.config.research
  const open = openResearch(hive.store.read().state)
  if (open.length >= at_once) throw tooMany(open, at_once)
  const spent = await spentOnResearch(hive, dayAgo(hive))
  if (spent >= tokens_per_day)
    throw new HiveError({
      code: "conflict",
      what: NOT_STARTED,
      why: `Researchers took ${spent} tokens in the last 24 hours; ${tokens_per_day} are allowed.`,
      use_instead:
        "Look it up yourself, or ask the user to raise `research.tokens_per_day` in the configuration.",
      evidence: "hivemind cost --since 24h",
    })
}

/** Checks the limit `at_once` again after the write, because other processes start researchers too. The earliest ones stay. */
function checkPlace(hive: Hive, { id }: Pick<Delegation, "id">): void {
  const { at_once } = hive.config.research
  const open = openResearch(hive.store.read().state)
  if (open.findIndex((each) => each.id === id) >= at_once) throw tooMany(open.slice(0, at_once), at_once)
}

function tooMany(open: readonly Delegation[], most: number): HiveError {
  return new HiveError({
    code: "conflict",
    what: NOT_STARTED,
    why: `${open.length} researchers are at work; at most ${most} may work at once.`,
    use_instead: "Wait until one has finished, or recall one.",
    evidence: open.map(({ id }) => shortId(id)).join(" "),
  })
}

export async function overBudget(hive: Hive, { id, created_at }: Pick<Delegation, "id" | "created_at">) {
  const { tokens, tokens_per_day, minutes } = hive.config.research
  if (timeLeft(hive, { created_at }) <= 0) return `the researcher was at work for ${minutes} minutes`
  const spent = await spentOnResearch(hive, created_at, id)
  if (spent >= tokens) return `the researcher took ${spent} tokens of ${tokens}`
  const all = await spentOnResearch(hive, dayAgo(hive))
  return all < tokens_per_day ? undefined : `researchers took ${all} tokens of ${tokens_per_day} in 24 hours`
}

function dayAgo({ source }: Hive): string {
  return new Date(source.now() - DAY_MS).toISOString()
}

/** Milliseconds until a researcher's time limit. It counts from the delegation, so that one that never begins ends too. */
export function timeLeft({ config, source }: Hive, { created_at }: Pick<Delegation, "created_at">): number {
  return Date.parse(created_at) + config.research.minutes * 60_000 - source.now()
}

/** Researchers that are at work or about to be started, without those of other clones. */
export function openResearch(state: GraphState): Delegation[] {
  const isOurs = ({ session_id, child_session_id }: Delegation) =>
    [session_id, child_session_id].some((session) => session !== null && state.metrics.has(session))
  return [...state.delegation.by("open", ALL)].filter((each) => isResearch(state, each) && isOurs(each))
}

export function isResearch(state: GraphState, { task_id }: Pick<Delegation, "task_id">): boolean {
  const purpose = state.task.get(task_id)?.purpose
  return purpose === "research" || purpose === "report"
}

/** Tokens of one researcher (`only`) or of all. Tokens read from the provider's cache do not count: they cost a tenth. */
async function spentOnResearch(hive: Hive, since: string, only?: string): Promise<number> {
  const sums = await runInSlices(hive.usage.byDelegation(since))
  const { state } = hive.store.read()
  let sum = 0
  for (const [id, { input, cache_write, output, reasoning }] of sums) {
    const delegation = state.delegation.get(id)
    if (delegation === undefined || !isResearch(state, delegation)) continue
    if (only === undefined || only === id) sum += input + cache_write + output + reasoning
  }
  return sum
}

export function reportQuestion(state: GraphState, session: string): string {
  return `what must be kept at compaction ${compactionsOf(state, session) + 1}`
}

export function isForReport(state: GraphState, { task_id }: Delegation): boolean {
  return state.task.get(task_id)?.purpose === "report"
}

/** Stores how often the session was compacted when its report is asked for. A report after the next compaction is too late. */
export function noteReportAsked(tx: Transaction, state: GraphState, session: string): void {
  tx.register(session, ASKED_AFTER, compactionsOf(state, session))
}

export function isReportInTime(state: GraphState, session: string): boolean {
  return registersOf(state, session)[ASKED_AFTER] === compactionsOf(state, session)
}

const starts = new WeakMap<Store, ReturnType<typeof createQueue>>()

export const RESEARCHER = "hive-investigator"
const TITLE = "Research"
const SAVE_FINDINGS = `Save each finding with ${toolName("memory")} as you go.`
const START_MS = 60_000
// Clocks of machines may differ, and stopping a session takes a moment.
const ELSEWHERE_MS = 300_000
const NOT_STARTED = "No researcher was started."
const ASKED_AFTER = "report_asked_after"
