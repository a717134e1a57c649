import { sessionOf } from "../../graph/read-head.ts"
import { uniqueId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import {
  addAnswer,
  nothing,
  type Spent,
  spentUnder,
  type TokenCounts,
  type Usage,
} from "../../schemas/usage.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { readableStamp } from "../../shared/stamp.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"

type Answers = ReadonlyMap<string, Usage>

/** One row of the ledger. */
export interface Line {
  /** Id of the plan, task, session or delegation; name of the model. */
  id: string
  title: string
  spent: Spent
}

export interface Ledger {
  total: Spent
  plans: (Line & { tasks: Line[] })[]
  /** Answers without a task. */
  unplanned: Spent
  /** Top sessions, with the usage of their subagents. */
  sessions: (Line & { subagents: Spent })[]
  delegates: Line[]
  models: Line[]
}

/** Token usage and cost, most expensive first; `since` in ms. */
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

/** Usage of a task and its sub-tasks. */
export async function spentOnTask(hive: Hive, task: string): Promise<Spent> {
  const { state } = hive.store.read()
  const parts = new Set([task])
  for (const part of parts) for (const { id } of state.task.by("parent_task_id", part)) parts.add(id)
  return runInSlices(hive.usage.onTasks(parts))
}

/** Tokens as people speak of them: fresh input, cached input, output. */
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

/** The top session of each subagent session. */
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
    // A parent may have answered only before `since`; then its record has the link.
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

export interface SpentShort {
  answers: number
  fresh: number
  cached: number
  output: number
  /** In dollars; 0 if the host knows no price. */
  cost: number
}

/** Null if there were no answers. */
export function spentShort(spent: Spent | undefined): SpentShort | null {
  return spent === undefined || spent.answers === 0 ? null : { answers: spent.answers, ...shortForm(spent) }
}

export type CostBy = "plan" | "task" | "session" | "delegate" | "model"

interface CostRow extends Line {
  /** Short id, stamp of a session, or name of a model. */
  short: string
}

export function listCosts(
  hive: Hive,
  ledger: Ledger,
  { by, words }: { by: CostBy; words?: string },
  paging: Paging = EVERYTHING,
): Page<CostRow> {
  const { state } = hive.store.read()
  const lines = linesOf(ledger, by).filter(({ title }) => hasWords(words, title))
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
