import { countIn } from "../graph/counters.ts"
import type { Caller, Hive } from "../hive/hive.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import { HiveError } from "../shared/error.ts"
import { activeSignals } from "./active-signals.ts"
import { updateCounts } from "./tally.ts"
import { rankOf } from "./warning.ts"
import { acknowledgedCounter } from "./warnings.ts"

/**
 * Quiets the warning about a pattern until it gets worse or has ended. A person (a caller without an agent) also lifts
 * what stopped turns have brought about, and their row starts anew.
 */
export async function acknowledge(
  hive: Hive,
  caller: Caller & { session: string },
  signal: string,
): Promise<void> {
  await updateCounts(hive, caller, (state, counts) => {
    const { session } = caller
    const watched = { state, session, counts, now: hive.source.now(), detection: hive.config.detection }
    const active = activeSignals(watched)
    const isLifted = signal === "cancels" && caller.agent === null && countIn(counts, "most_cancels") > 0
    const found = active.find(({ name }) => name === signal)
    if (isLifted) return { next: LIFTED, result: undefined }
    if (found === undefined)
      throw nothingToAcknowledge(
        signal,
        active.map(({ name }) => name),
      )
    return { next: new Map([[acknowledgedCounter(found.name), rankOf(found.severity)]]), result: undefined }
  })
}

function nothingToAcknowledge(signal: string, active: SignalName[]): HiveError {
  const isKnown = (signalNames as string[]).includes(signal)
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

const LIFTED = new Map([
  ["cancels_in_row", 0],
  ["most_cancels", 0],
  [acknowledgedCounter("cancels"), 0],
])
