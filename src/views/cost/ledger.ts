import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { TokenCounts, Usage } from "../../schemas/usage.ts"
import { runInSlices } from "../../shared/slices.ts"

/** What answers took together. */
export interface Spent extends TokenCounts {
  answers: number
  /** In dollars; 0 where the host does not know the price. */
  cost: number
}

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
  const all = await runInSlices(hive.usage.all())
  const answers = all.filter(({ at }) => Date.parse(at) >= since)
  const { state } = hive.store.read()
  const roots = rootsOf(answers)
  const delegated = answers.filter(({ delegation }) => delegation !== null)
  return {
    total: sumOf(answers),
    plans: grouped(answers, ({ plan }) => plan).map(([id, own]) => ({
      ...lineOf(id, state.plan.get(id)?.title, own),
      tasks: lines(
        grouped(own, ({ task }) => task),
        (task) => state.task.get(task)?.title,
      ),
    })),
    unplanned: sumOf(answers.filter(({ plan }) => plan === null)),
    sessions: grouped(answers, ({ session }) => roots.get(session) ?? session).map(([id, own]) => ({
      ...lineOf(id, titleOfSession(state, id), own),
      subagents: sumOf(own.filter(({ session }) => session !== id)),
    })),
    delegates: lines(
      grouped(delegated, ({ delegation }) => delegation),
      (id) => titleOfDelegation(state, id),
    ),
    models: lines(
      grouped(answers, ({ model }) => model),
      (model) => model,
    ),
  }
}

/** What was spent on a task and on those that are parts of it. */
export async function spentOnTask(hive: Hive, task: string): Promise<Spent> {
  const all = await runInSlices(hive.usage.all())
  const { state } = hive.store.read()
  const parts = new Set([task])
  for (const part of parts) for (const { id } of state.task.by("parent_task_id", part)) parts.add(id)
  return sumOf(all.filter((each) => each.task !== null && parts.has(each.task)))
}

/** As people speak of it: read anew, read from the provider's cache, answered. */
export function shortForm({ input, cache_write, cache_read, output, reasoning, cost }: Spent) {
  const round = (dollars: number) => Math.round(dollars * 10_000) / 10_000
  return { fresh: input + cache_write, cached: cache_read, output: output + reasoning, cost: round(cost) }
}

function tokensOf({ input, cache_write, cache_read, output, reasoning }: TokenCounts): number {
  return input + cache_write + cache_read + output + reasoning
}

function sumOf(answers: readonly Usage[]): Spent {
  const sum = { answers: 0, input: 0, cache_write: 0, cache_read: 0, output: 0, reasoning: 0, cost: 0 }
  for (const answer of answers) {
    sum.answers++
    for (const field of FIELDS) sum[field] += answer[field]
  }
  return sum
}

function grouped(answers: readonly Usage[], keyOf: (answer: Usage) => string | null): [string, Usage[]][] {
  const groups = new Map<string, Usage[]>()
  for (const answer of answers) {
    const key = keyOf(answer)
    if (key === null) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [answer])
    else group.push(answer)
  }
  const weight = ([, own]: [string, Usage[]]) => {
    const spent = sumOf(own)
    return [spent.cost, tokensOf(spent)] as const
  }
  return [...groups].sort((a, b) => {
    const [x, y] = [weight(a), weight(b)]
    return y[0] - x[0] || y[1] - x[1] || (a[0] < b[0] ? -1 : 1)
  })
}

function lines(groups: readonly [string, Usage[]][], titleOf: (id: string) => string | undefined): Line[] {
  return groups.map(([id, own]) => lineOf(id, titleOf(id), own))
}

function lineOf(id: string, title: string | undefined, own: readonly Usage[]): Line {
  return { id, title: title ?? "(no longer there)", spent: sumOf(own) }
}

/** The session at the top of each subagent's. */
function rootsOf(answers: readonly Usage[]): Map<string, string> {
  const parents = new Map(
    answers.flatMap(({ session, parent }) => (parent === null ? [] : [[session, parent]])),
  )
  const roots = new Map<string, string>()
  for (const session of parents.keys()) {
    let top = session
    const seen = new Set([top])
    for (let next = parents.get(top); next !== undefined && !seen.has(next); next = parents.get(top)) {
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

const FIELDS = ["input", "cache_write", "cache_read", "output", "reasoning", "cost"] as const
