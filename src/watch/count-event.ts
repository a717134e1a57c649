import type { GraphState } from "../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import type { Store } from "../store/store.ts"
import { HOST_PROCESS, THIS_PROCESS } from "../work/session/host-process.ts"
import { activeSignals } from "./active-signals.ts"
import { draftMetrics, type MetricsDraft } from "./metrics-draft.ts"
import { observe, type SessionEvent } from "./observe.ts"
import { metricsOf } from "./session-metrics.ts"
import type { Watched } from "./signals.ts"
import type { Warning } from "./warning.ts"
import { acknowledgedSeverity, type ShownWarning, shownAt, urgentWarnings } from "./warnings.ts"

/**
 * Counts an event of a session, in one append. Returns what cannot wait for the next user message; that is asked for by
 * giving `lastWarning`, which knows what the messages have warned of. In a project that does not use HiveMind yet
 * nothing is counted: an event alone is no reason to put files there.
 */
export async function countEvent(
  hive: Hive,
  caller: Caller & { session: string },
  event: SessionEvent,
  lastWarning?: (name: SignalName) => ShownWarning | undefined,
): Promise<Warning[]> {
  if (!hive.store.isThere()) return []
  return updateMetrics(hive, caller, (state, draft) => {
    const now = hive.source.now()
    observe(draft, event, now)
    draft.set(HOST_PROCESS, THIS_PROCESS)
    const { session } = caller
    const watched = { state, session, metrics: draft.metrics, now, detection: hive.config.detection }
    for (const name of endedAcknowledgements(watched)) draft.set(acknowledgedSeverity(name), null)
    if (lastWarning === undefined || hive.config.governance === "off") return []
    const urgent = urgentWarnings(watched, lastWarning)
    for (const { id } of urgent) draft.set(shownAt(id), now)
    return urgent
  })
}

/** Changes the metrics of a session, in one append. */
export function updateMetrics<T>(
  hive: Hive,
  caller: Caller & { session: string },
  change: (state: GraphState, draft: MetricsDraft) => T,
): Promise<T> {
  return oneByOne(hive.store, async () => {
    const { state } = hive.store.read()
    const draft = draftMetrics(metricsOf(state, caller.session))
    const result = change(state, draft)
    await hive.store.append(authorOf(caller), (tx) => draft.write(tx, caller.session))
    return result
  })
}

/** An acknowledgement ends with its pattern: when the pattern comes back, it is told again. */
function endedAcknowledgements(watched: Watched): SignalName[] {
  const { registers } = watched.metrics
  const known = signalNames.filter((name) => acknowledgedSeverity(name) in registers)
  if (known.length === 0) return []
  const active = new Set(activeSignals(watched, known).map(({ name }) => name))
  return known.filter((name) => !active.has(name))
}

/**
 * One after another within a process. Writers cannot harm each other's values, but the calls of one step end at the same
 * moment: each has to see what the one before it counted, or all of them would show the same warning. Where none is
 * under way a job starts at once, so that it shares a sync with what is appended beside it.
 */
function oneByOne<T>(store: Store, job: () => Promise<T>): Promise<T> {
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
