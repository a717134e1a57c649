import { type Counts, countIn, countsOf, setCount } from "../graph/counters.ts"
import type { GraphState } from "../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { COUNTING } from "../schemas/journal.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import type { Store } from "../store/store.ts"
import { activeSignals } from "./active-signals.ts"
import { type Happening, observe } from "./observe.ts"
import type { Watched } from "./signals.ts"
import type { Warning } from "./warning.ts"
import { acknowledgedCounter, type ShownWarning, toldCounter, urgentWarnings } from "./warnings.ts"

/**
 * Counts what happened in a session, in one append. Returns what has to be said at once, which can only be said where
 * `lastWarning` is given: it knows what the model was warned of before. In a project that does not use HiveMind yet nothing is
 * counted: that alone is no reason to put files there.
 */
export async function tally(
  hive: Hive,
  caller: Caller & { session: string },
  happening: Happening,
  lastWarning?: (name: SignalName) => ShownWarning | undefined,
): Promise<Warning[]> {
  if (!hive.store.isThere()) return []
  return updateCounts(hive, caller, (state, counts) => {
    const now = hive.source.now()
    const next = observe(counts, happening, now)
    const watched: Watched = {
      state,
      session: caller.session,
      counts: { ...counts, ...Object.fromEntries(next) },
      now,
      detection: hive.config.detection,
    }
    for (const name of endedAcknowledgements(watched)) next.set(acknowledgedCounter(name), 0)
    const isQuiet = lastWarning === undefined || hive.config.governance === "off"
    const urgent = isQuiet ? [] : urgentWarnings(watched, lastWarning)
    for (const { id } of urgent) next.set(toldCounter(id), Math.floor(now / 1000))
    return { next, result: urgent }
  })
}

/** Sets counters of a session, in one append. */
export function updateCounts<T>(
  hive: Hive,
  caller: Caller & { session: string },
  change: (state: GraphState, counts: Counts) => { next: ReadonlyMap<string, number>; result: T },
): Promise<T> {
  return inTurn(hive.store, async () => {
    const { state } = hive.store.read()
    const { next, result } = change(state, countsOf(state, caller.session))
    await hive.store.append({ ...authorOf(caller), tool: COUNTING }, (tx) => {
      for (const [name, value] of next) setCount(tx, state, caller.session, name, value)
    })
    return result
  })
}

/** A pattern that has ended is news when it comes back, whoever knew of it before. */
function endedAcknowledgements(watched: Watched): SignalName[] {
  const known = signalNames.filter((name) => countIn(watched.counts, acknowledgedCounter(name)) > 0)
  if (known.length === 0) return []
  const active = new Set(activeSignals(watched, known).map(({ name }) => name))
  return known.filter((name) => !active.has(name))
}

/**
 * One after another within a process: the calls of one step end at the same moment, and two that reset a counter must
 * not both subtract. Where none is under way it starts at once, so that it shares a sync with what is appended beside it.
 */
function inTurn<T>(store: Store, job: () => Promise<T>): Promise<T> {
  const before = underWay.get(store)
  const running = before === undefined ? job() : before.then(job)
  const over = running
    .catch(() => {}) // The caller gets the error.
    .then(() => {
      if (underWay.get(store) === over) underWay.delete(store)
    })
  underWay.set(store, over)
  return running
}

const underWay = new WeakMap<Store, Promise<unknown>>()
