import type { GraphState } from "../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { HOST_PROCESS, THIS_PROCESS } from "../hive/host-process.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import { HiveError } from "../shared/error.ts"
import type { Store } from "../store/store.ts"
import { observe, type SessionEvent } from "./counting-rules.ts"
import { draftMetrics, type MetricsDraft, metricsOf } from "./session-metrics.ts"
import { activeSignals, type Warning, type Watched } from "./signals.ts"
import { acknowledgedSeverity, type ShownWarning, shownAt, urgentWarnings } from "./warnings.ts"

/**
 * Counts an event of a session, in one append. With `lastWarning` it returns warnings that cannot wait for the next
 * message. In a project without a hive nothing is counted.
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

function updateMetrics<T>(
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

/** An acknowledgement ends with its signal: if the signal comes back, it is shown again. */
function endedAcknowledgements(watched: Watched): SignalName[] {
  const { registers } = watched.metrics
  const known = signalNames.filter((name) => acknowledgedSeverity(name) in registers)
  if (known.length === 0) return []
  const active = new Set(activeSignals(watched, known).map(({ name }) => name))
  return known.filter((name) => !active.has(name))
}

/**
 * One after another within a process: calls of one step end together, and each must see the counts before it, or all
 * would show the same warning. An idle job starts at once, so that it shares an fsync.
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

/** Silences a signal's warning until it gets worse or has ended. */
export async function acknowledge(
  hive: Hive,
  caller: Caller & { session: string },
  signal: string,
): Promise<void> {
  await updateMetrics(hive, caller, (state, draft) => {
    const { session } = caller
    const { metrics } = draft
    const now = hive.source.now()
    const active = activeSignals({ state, session, metrics, now, detection: hive.config.detection })
    const found = active.find(({ name }) => name === signal)
    if (found === undefined)
      throw nothingToAcknowledge(
        signal,
        active.map(({ name }) => name),
      )
    draft.set(acknowledgedSeverity(found.name), found.severity)
  })
}

function nothingToAcknowledge(signal: string, active: SignalName[]): HiveError {
  const isKnown = signalNames.some((name) => name === signal)
  return new HiveError({
    code: "not_found",
    what: `There is no warning ${signal} to acknowledge.`,
    why: isKnown ? "That pattern is not there now." : `The signals are ${signalNames.join(", ")}.`,
    use_instead:
      active.length === 0
        ? "Nothing: no warning is active."
        : `Name one that is active: ${active.join(", ")}.`,
    evidence: `active: ${active.join(", ") || "none"}`,
  })
}

const underWay = new WeakMap<Store, Promise<unknown>>()
