import { ALL } from "../../graph/indexes.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Delegation } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { runInSlices } from "../../shared/slices.ts"
import { DAY_MS } from "../../shared/time.ts"

/** Refuses a researcher beyond what the configuration allows at once, or in a day. */
export async function checkResearchBudget(hive: Hive): Promise<void> {
  const { at_once, tokens_per_day } = hive.config.research
  const { state } = hive.store.read()
  const open = openResearch(state)
  if (open.length >= at_once) throw tooMany(open, at_once)
  const spent = await spentOnResearch(hive, dayAgo(hive))
  if (spent >= tokens_per_day) throw dayIsUsedUp(spent, tokens_per_day)
}

/**
 * Once more, when it has its place: another process may have started one at the same moment. Those stay that stand first in
 * the log; by their times, one that was written later could come before one that has been let through already.
 */
export function checkPlace(hive: Hive, { id }: Pick<Delegation, "id">): void {
  const { at_once } = hive.config.research
  const open = openResearch(hive.store.read().state)
  if (open.findIndex((each) => each.id === id) >= at_once) throw tooMany(open.slice(0, at_once), at_once)
}

/** Why a researcher has to be stopped; undefined while it is within its limits. */
export async function overBudget(
  hive: Hive,
  { id, created_at }: Pick<Delegation, "id" | "created_at">,
): Promise<string | undefined> {
  const { tokens, tokens_per_day, minutes } = hive.config.research
  if (timeLeft(hive, { created_at }) <= 0) return `it was at work for ${minutes} minutes`
  const spent = await spentOnResearch(hive, created_at, id)
  if (spent >= tokens) return `it took ${spent} tokens of ${tokens}`
  const all = await spentOnResearch(hive, dayAgo(hive))
  return all >= tokens_per_day ? `all took ${all} tokens of ${tokens_per_day} in 24 hours` : undefined
}

function dayAgo({ source }: Hive): string {
  return new Date(source.now() - DAY_MS).toISOString()
}

/** In ms, since it was asked for: one that never begins has no more of it. */
export function timeLeft({ config, source }: Hive, { created_at }: Pick<Delegation, "created_at">): number {
  return Date.parse(created_at) + config.research.minutes * 60_000 - source.now()
}

export function isFull({ config, store }: Pick<Hive, "config" | "store">): boolean {
  return openResearch(store.read().state).length >= config.research.at_once
}

/**
 * Researchers that are at work, or about to be started: of questions and of reports for a compaction. Those of another
 * clone are its own: what its sessions do is not noted here.
 */
export function openResearch(state: GraphState): Delegation[] {
  const isOurs = ({ session_id, child_session_id }: Delegation) =>
    [session_id, child_session_id].some((session) => session !== null && state.metrics.has(session))
  return [...state.delegation.by("open", ALL)].filter((each) => isResearch(state, each) && isOurs(each))
}

export function isResearch(state: GraphState, { task_id }: Pick<Delegation, "task_id">): boolean {
  const purpose = state.task.get(task_id)?.purpose
  return purpose === "research" || purpose === "report"
}

/** Of one researcher or of all, without what comes from the provider's cache, which costs a tenth. */
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

function tooMany(open: readonly Delegation[], most: number): HiveError {
  return new HiveError({
    code: "conflict",
    what: "No researcher was started.",
    why: `${open.length} of ${most} are at work; more at once would cost more than they find.`,
    use_instead: "Wait for one to return, or recall one.",
    evidence: open.map(({ id }) => shortId(id)).join(" "),
  })
}

function dayIsUsedUp(spent: number, most: number): HiveError {
  return new HiveError({
    code: "conflict",
    what: "No researcher was started.",
    why: `Researchers took ${spent} tokens in the last 24 hours; ${most} are allowed.`,
    use_instead: "Look it up yourself, or let the user raise `research.tokens_per_day` in the configuration.",
    evidence: "hivemind cost --since 24h",
  })
}
