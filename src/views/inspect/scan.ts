import { ALL } from "../../graph/indexes.ts"
import { intentOf } from "../../graph/intent.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { shortId } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { duration } from "../../shared/time.ts"
import { refreshQueue } from "../../watch/validation/refresh-queue.ts"
import { type Counts, countsOf } from "../hierarchy/counts.ts"
import { growTree } from "../hierarchy/tree.ts"
import { needsAttention } from "./attention.ts"
import { firstOf } from "./bounded.ts"
import { recordDescriber } from "./describe-record.ts"

export interface Scan {
  /** The session's stamp. */
  session: string | null
  intent: string | null
  /** From the plan down to the session's read-head. */
  place: string[]
  counts: Counts
  look: string[]
  open_decisions: string[]
  delegations: string[]
  /** Knowledge that is stale or soon will be. */
  refresh: string[]
  /** Records and files that could not be read, or only with a warning. */
  problems: string[]
}

/** The session's position and what needs attention, in short. Reads only. */
export function* inspectScan(hive: Hive, session: string | null): Pausing<Scan> {
  const { state, problems } = hive.store.read()
  const now = hive.source.now()
  const head = headOf(state, session)
  const intent = intentOf(state, head)
  const tree = yield* growTree(state, head)
  const attention = yield* needsAttention(state, tree, now)
  const describe = recordDescriber(state, () => false)
  const list = (lines: string[]) => firstOf(lines, MAX_LISTED)
  const underWay = [...state.delegation.by("open", ALL)]
  return {
    session: sessionOf(state, session)?.stamp ?? null,
    intent: intent === null ? null : short(intent),
    place: tree.path.map(({ level, id }) => describe(level, id)),
    counts: countsOf(state, hive.store.archive.size()),
    look: list(attention),
    open_decisions: list(
      Array.from(state.mem.by("undecided", ALL), ({ id, content }) => `${shortId(id)} ${short(content)}`),
    ),
    delegations: list(
      underWay.map(
        ({ id, task_id, to_agent, status }) =>
          `${shortId(id)} to ${short(to_agent)} (${status}): ${describe("task", task_id)}`,
      ),
    ),
    refresh: list(
      refreshQueue(state, now).map(
        ({ kind, id, title, stale_at }) =>
          `${shortId(id)} ${kind} "${short(title)}" ${staleness(stale_at, now)}`,
      ),
    ),
    problems: list(problems.map(({ level, file, reason }) => `${level}: ${file}: ${short(reason)}`)),
  }
}

function staleness(stale_at: string, now: number): string {
  const ms = Date.parse(stale_at) - now
  return ms > 0 ? `goes stale in ${duration(ms)}` : `stale for ${duration(-ms)}`
}

function short(text: string): string {
  return shorten(text, MAX_TEXT)
}

const MAX_LISTED = 5
const MAX_TEXT = 120
