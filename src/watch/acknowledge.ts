import type { Caller, Hive } from "../hive/hive.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import { HiveError } from "../shared/error.ts"
import { activeSignals } from "./active-signals.ts"
import { updateMetrics } from "./count-event.ts"
import { acknowledgedSeverity } from "./warnings.ts"

/** Quiets the warning about a pattern until it gets worse or has ended. */
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
