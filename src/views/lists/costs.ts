import { sessionOf } from "../../graph/read-head.ts"
import { uniqueId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { addAnswer, nothing, type Spent, spentUnder, type Usage } from "../../schemas/usage.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { readableStamp } from "../../shared/stamp.ts"
import { EVERYTHING, hasWords, type Paging, pageWith } from "./page.ts"

type Answers = ReadonlyMap<string, Usage>

export interface Line {
  /** The id of the plan, task, session or delegation, or the name of the model. */
  id: string
  title: string
  spent: Spent
}

export type Ledger = Awaited<ReturnType<typeof ledgerOf>>

/** Token usage and cost since a time in ms, most expensive first. */
export async function ledgerOf(hive: Hive, since = 0) {
  const from = new Date(since).toISOString()
  const all = await runInSlices(hive.usage.all(from))
  return runInSlices(sumUp(hive.store.read().state, all, from))
}

function* sumUp(state: GraphState, all: Answers, since: string) {
  const total = nothing()
  const unplanned = nothing()
  const tasks = new Map<string, Map<string, Spent>>()
  const sums = () => new Map<string, Spent>()
  const groups = { plan: sums(), session: sums(), subagents: sums(), delegation: sums(), model: sums() }
  const add = (to: keyof typeof groups, key: string, answer: Usage) =>
    addAnswer(spentUnder(groups[to], key), answer)
  const rootOf = yield* rootsOf(all, state)
  let count = 0
  for (const answer of all.values()) {
    if (++count % PAUSE_EVERY === 0) yield
    // ISO times can be compared as text, because all are UTC in the same format.
    if (answer.at < since) continue
    const { plan, task, session, delegation, model } = answer
    addAnswer(total, answer)
    if (plan === null) addAnswer(unplanned, answer)
    else {
      add("plan", plan, answer)
      const ofPlan = tasks.get(plan) ?? sums()
      tasks.set(plan, ofPlan)
      if (task !== null) addAnswer(spentUnder(ofPlan, task), answer)
    }
    const root = rootOf.get(session) ?? session
    add("session", root, answer)
    if (root !== session) add("subagents", root, answer)
    if (delegation !== null) add("delegation", delegation, answer)
    add("model", model, answer)
  }
  return {
    total,
    // The cost of answers outside any plan.
    unplanned,
    plans: lines(groups.plan, (id) => state.plan.get(id)?.title).map((line) => ({
      ...line,
      tasks: lines(tasks.get(line.id) ?? new Map(), (id) => state.task.get(id)?.title),
    })),
    // Subagents are no rows: their usage is included in that of the session above, and `subagents` is that part alone.
    sessions: lines(groups.session, (id) => titleOfSession(state, id)).map((line) => ({
      ...line,
      subagents: groups.subagents.get(line.id) ?? nothing(),
    })),
    delegates: lines(groups.delegation, (id) => titleOfDelegation(state, id)),
    models: lines(groups.model, (model) => model),
  }
}

export async function spentOnTask(hive: Hive, task: string): Promise<Spent> {
  const { state } = hive.store.read()
  const parts = new Set([task])
  for (const part of parts) for (const { id } of state.task.by("parent_task_id", part)) parts.add(id)
  return runInSlices(hive.usage.onTasks(parts))
}

export function shortForm({ input, cache_write, cache_read, output, reasoning, cost }: Spent) {
  const round = (dollars: number) => Math.round(dollars * 10_000) / 10_000
  return { fresh: input + cache_write, cached: cache_read, output: output + reasoning, cost: round(cost) }
}

function tokensOf({ input, cache_write, cache_read, output, reasoning }: Spent): number {
  return input + cache_write + cache_read + output + reasoning
}

function lines(all: ReadonlyMap<string, Spent>, titleOf: (id: string) => string | undefined): Line[] {
  return Array.from(all, ([id, spent]) => ({ id, title: titleOf(id) ?? "(no longer there)", spent })).sort(
    (a, b) => b.spent.cost - a.spent.cost || tokensOf(b.spent) - tokensOf(a.spent) || (a.id < b.id ? -1 : 1),
  )
}

/** Maps each subagent's session to the session without a parent that it works for. */
function* rootsOf(answers: Answers, state: GraphState): Pausing<Map<string, string>> {
  const parents = new Map<string, string>()
  let count = 0
  for (const { session, parent } of answers.values()) {
    if (++count % PAUSE_EVERY === 0) yield
    if (parent !== null) parents.set(session, parent)
  }
  const roots = new Map<string, string>()
  for (const session of parents.keys()) {
    let top = session
    const seen = new Set([top])
    // `parents` lacks a session without answers in the wanted period, so its parent is read from its record.
    const above = (each: string) => parents.get(each) ?? sessionOf(state, each)?.parent_host_id ?? undefined
    for (let next = above(top); next !== undefined && !seen.has(next); next = above(top)) {
      top = next
      seen.add(top)
    }
    roots.set(session, top)
  }
  return roots
}

function titleOfSession(state: GraphState, hostId: string): string | undefined {
  const session = sessionOf(state, hostId)
  return session?.intent ?? (session && readableStamp(session.stamp))
}

function titleOfDelegation(state: GraphState, id: string): string | undefined {
  const delegation = state.delegation.get(id)
  const task = delegation && state.task.get(delegation.task_id)
  return delegation && `${delegation.to_agent}: ${task?.title ?? "a task that is gone"}`
}

export type SpentShort = NonNullable<ReturnType<typeof spentShort>>

/** Null if there were no answers. The cost is in dollars; 0 if the host knows no price. */
export function spentShort(spent: Spent | undefined) {
  return spent === undefined || spent.answers === 0 ? null : { answers: spent.answers, ...shortForm(spent) }
}

export type CostBy = "plan" | "task" | "session" | "delegate" | "model"

export function listCosts(
  hive: Hive,
  ledger: Ledger,
  { by, words }: { by: CostBy; words?: string },
  paging: Paging = EVERYTHING,
) {
  const { state } = hive.store.read()
  const lines = linesOf(ledger, by).filter(({ title }) => hasWords(words, title))
  // `short` is a short id, the stamp of a session or the name of a model.
  return pageWith(lines, paging, (line) => ({ ...line, short: nameOf(state, by, line.id) }))
}

function linesOf({ plans, sessions, delegates, models }: Ledger, by: CostBy): readonly Line[] {
  if (by !== "task") return { plan: plans, session: sessions, delegate: delegates, model: models }[by]
  return plans.flatMap(({ tasks }) => tasks).sort((a, b) => b.spent.cost - a.spent.cost)
}

function nameOf(state: GraphState, by: CostBy, id: string): string {
  if (by === "session") return sessionOf(state, id)?.stamp ?? id
  return by === "model" ? id : uniqueId(state, id)
}

const PAUSE_EVERY = 500
