import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { addAnswer, nothing, type Spent, spentUnder } from "../../schemas/spent.ts"
import type { TokenCounts, Usage } from "../../schemas/usage.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"

type Answers = ReadonlyMap<string, Usage>

/** One row of the ledger. */
export interface Line {
  /** Of the plan, task, session or delegation; the model's name. */
  id: string
  title: string
  spent: Spent
}

export interface Ledger {
  total: Spent
  plans: (Line & { tasks: Line[] })[]
  /** What was answered without a task at hand. */
  unplanned: Spent
  /** Sessions of their own; what their subagents took is in it. */
  sessions: (Line & { subagents: Spent })[]
  delegates: Line[]
  models: Line[]
}

/** What was spent on what, the dearest first; `since` in ms. */
export async function ledgerOf(hive: Hive, since = 0): Promise<Ledger> {
  const from = new Date(since).toISOString()
  const all = await runInSlices(hive.usage.all(from))
  return runInSlices(sumUp(hive.store.read().state, all, from))
}

function* sumUp(state: GraphState, all: Answers, since: string): Pausing<Ledger> {
  const total = nothing()
  const unplanned = nothing()
  const tasks = new Map<string, Map<string, Spent>>()
  const groups = { plan: sums(), session: sums(), subagents: sums(), delegation: sums(), model: sums() }
  const rootOf = yield* rootsOf(all, state)
  let count = 0
  for (const answer of all.values()) {
    if (++count % PAUSE_EVERY === 0) yield
    // Times are compared as text: all are UTC in one format.
    if (answer.at < since) continue
    const { plan, task, session, delegation, model } = answer
    addAnswer(total, answer)
    if (plan === null) addAnswer(unplanned, answer)
    else {
      groups.plan.add(plan, answer)
      const ofPlan = tasks.get(plan) ?? new Map<string, Spent>()
      tasks.set(plan, ofPlan)
      if (task !== null) addAnswer(spentUnder(ofPlan, task), answer)
    }
    const root = rootOf.get(session) ?? session
    groups.session.add(root, answer)
    if (root !== session) groups.subagents.add(root, answer)
    if (delegation !== null) groups.delegation.add(delegation, answer)
    groups.model.add(model, answer)
  }
  return {
    total,
    unplanned,
    plans: lines(groups.plan.all, (id) => state.plan.get(id)?.title).map((line) => ({
      ...line,
      tasks: lines(tasks.get(line.id) ?? new Map(), (id) => state.task.get(id)?.title),
    })),
    sessions: lines(groups.session.all, (id) => titleOfSession(state, id)).map((line) => ({
      ...line,
      subagents: groups.subagents.all.get(line.id) ?? nothing(),
    })),
    delegates: lines(groups.delegation.all, (id) => titleOfDelegation(state, id)),
    models: lines(groups.model.all, (model) => model),
  }
}

/** What was spent on a task and on those that are parts of it. */
export async function spentOnTask(hive: Hive, task: string): Promise<Spent> {
  const { state } = hive.store.read()
  const parts = new Set([task])
  for (const part of parts) for (const { id } of state.task.by("parent_task_id", part)) parts.add(id)
  return runInSlices(hive.usage.onTasks(parts))
}

/** As people speak of it: read anew, read from the provider's cache, answered. */
export function shortForm({ input, cache_write, cache_read, output, reasoning, cost }: Spent) {
  const round = (dollars: number) => Math.round(dollars * 10_000) / 10_000
  return { fresh: input + cache_write, cached: cache_read, output: output + reasoning, cost: round(cost) }
}

function tokensOf({ input, cache_write, cache_read, output, reasoning }: TokenCounts): number {
  return input + cache_write + cache_read + output + reasoning
}

function sums() {
  const all = new Map<string, Spent>()
  return { all, add: (key: string, answer: Usage) => addAnswer(spentUnder(all, key), answer) }
}

function lines(all: ReadonlyMap<string, Spent>, titleOf: (id: string) => string | undefined): Line[] {
  return Array.from(all, ([id, spent]) => ({ id, title: titleOf(id) ?? "(no longer there)", spent })).sort(
    (a, b) => b.spent.cost - a.spent.cost || tokensOf(b.spent) - tokensOf(a.spent) || (a.id < b.id ? -1 : 1),
  )
}

/** The session at the top of each subagent's. */
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
    // One above may have answered only before the time that is asked for.
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
  return session?.intent ?? session?.stamp
}

function titleOfDelegation(state: GraphState, id: string): string | undefined {
  const delegation = state.delegation.get(id)
  const task = delegation && state.task.get(delegation.task_id)
  return delegation && `${delegation.to_agent}: ${task?.title ?? "a task that is gone"}`
}

const PAUSE_EVERY = 500
