import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { HOST_PROCESS, THIS_PROCESS } from "../hive/host-process.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import { HiveError } from "../shared/error.ts"
import type { Store } from "../store/store.ts"
import { observe, type SessionEvent } from "./counting-rules.ts"
import { draftMetrics, type MetricsDraft, metricsOf } from "./session-metrics.ts"
import { activeSignals, type Warning, type Watched } from "./signals.ts"
import { acknowledgedSeverity, type ShownWarning, shownAt, urgentWarnings } from "./warnings.ts"

type SessionCaller = Caller & { session: string }

/** Adds an event to the session's counters. With `lastWarning`, returns the warnings to show at once, during the turn. */
export async function countEvent(
  hive: Hive,
  caller: SessionCaller,
  event: SessionEvent,
  lastWarning?: (name: SignalName) => ShownWarning | undefined,
): Promise<Warning[]> {
  if (!hive.store.isThere()) return []
  return updateMetrics(hive, caller, (draft, watched) => {
    observe(draft, event, watched.now)
    draft.set(HOST_PROCESS, THIS_PROCESS)
    for (const name of endedAcknowledgements(watched)) draft.set(acknowledgedSeverity(name), null)
    if (lastWarning === undefined || hive.config.governance === "off") return []
    const urgent = urgentWarnings(watched, lastWarning)
    for (const { id } of urgent) draft.set(shownAt(id), watched.now)
    return urgent
  })
}

function updateMetrics<T>(
  { store, source, config: { detection } }: Hive,
  caller: SessionCaller,
  change: (draft: MetricsDraft, watched: Watched) => T,
): Promise<T> {
  return oneByOne(store, async () => {
    const { session } = caller
    const { state } = store.read()
    const draft = draftMetrics(metricsOf(state, session))
    const result = change(draft, { state, session, metrics: draft.metrics, now: source.now(), detection })
    await store.append(authorOf(caller), (tx) => draft.write(tx, session))
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

/** Runs a store's jobs one by one, so that each sees earlier counts. If none runs, a job starts at once. */
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
export async function acknowledge(hive: Hive, caller: SessionCaller, signal: string): Promise<void> {
  await updateMetrics(hive, caller, (draft, watched) => {
    const active = activeSignals(watched)
    const found = active.find(({ name }) => name === signal)
    if (found === undefined) throw nothingToAcknowledge(signal, active.map(({ name }) => name).join(", "))
    draft.set(acknowledgedSeverity(found.name), found.severity)
  })
}

function nothingToAcknowledge(signal: string, active: string): HiveError {
  const isKnown = signalNames.some((name) => name === signal)
  return new HiveError({
    code: "not_found",
    what: `There is no warning ${signal} to acknowledge.`,
    why: isKnown ? "That signal is not active now." : `The signals are ${signalNames.join(", ")}.`,
    use_instead: active === "" ? "There is nothing to do: no warning is active." : `Name one: ${active}.`,
    evidence: `active: ${active || "none"}`,
  })
}

const underWay = new WeakMap<Store, Promise<unknown>>()
