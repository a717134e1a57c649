import { ALL } from "../../graph/indexes.ts"
import { compactionsOf, registersOf } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Delegation } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { runInSlices } from "../../shared/slices.ts"
import { DAY_MS } from "../../shared/time.ts"

/** Refuses a researcher beyond the configured number at once, or the tokens of a day. */
export async function checkResearchBudget(hive: Hive): Promise<void> {
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
        "Look it up yourself, or let the user raise `research.tokens_per_day` in the configuration.",
      evidence: "hivemind cost --since 24h",
    })
}

/**
 * Checks the limit again once the delegation is written, because another process may have started one at the same moment.
 * The first ones in the log stay. By their times, one that was written later could come first.
 */
export function checkPlace(hive: Hive, { id }: Pick<Delegation, "id">): void {
  const { at_once } = hive.config.research
  const open = openResearch(hive.store.read().state)
  if (open.findIndex((each) => each.id === id) >= at_once) throw tooMany(open.slice(0, at_once), at_once)
}

function tooMany(open: readonly Delegation[], most: number): HiveError {
  return new HiveError({
    code: "conflict",
    what: NOT_STARTED,
    why: `${open.length} of ${most} are at work; more at once would cost more than they find.`,
    use_instead: "Wait for one to return, or recall one.",
    evidence: open.map(({ id }) => shortId(id)).join(" "),
  })
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

/** In ms, since the question was asked: a researcher that never begins runs out of time as well. */
export function timeLeft({ config, source }: Hive, { created_at }: Pick<Delegation, "created_at">): number {
  return Date.parse(created_at) + config.research.minutes * 60_000 - source.now()
}

/** Researchers that are at work or about to be started. Those of other clones are not known here. */
export function openResearch(state: GraphState): Delegation[] {
  const isOurs = ({ session_id, child_session_id }: Delegation) =>
    [session_id, child_session_id].some((session) => session !== null && state.metrics.has(session))
  return [...state.delegation.by("open", ALL)].filter((each) => isResearch(state, each) && isOurs(each))
}

export function isResearch(state: GraphState, { task_id }: Pick<Delegation, "task_id">): boolean {
  const purpose = state.task.get(task_id)?.purpose
  return purpose === "research" || purpose === "report"
}

/** Tokens of one researcher or of all, without those from the provider's cache, which cost a tenth. */
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

/** The question to a researcher about the next compaction of a session. */
export function reportQuestion(state: GraphState, session: string): string {
  return `what must be kept at compaction ${compactionsOf(state, session) + 1}`
}

/** True of a researcher for a compaction's report. */
export function isForReport(state: GraphState, { task_id }: Delegation): boolean {
  return state.task.get(task_id)?.purpose === "report"
}

/** Notes after which compaction the report was asked for: an answer after the next one is out of date. */
export function noteReportAsked(tx: Transaction, state: GraphState, session: string): void {
  tx.register(session, ASKED_AFTER, compactionsOf(state, session))
}

/** True if there was no compaction since a report of the session was asked for. */
export function isReportInTime(state: GraphState, session: string): boolean {
  return registersOf(state, session)[ASKED_AFTER] === compactionsOf(state, session)
}

const NOT_STARTED = "No researcher was started."
const ASKED_AFTER = "report_asked_after"
