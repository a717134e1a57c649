import { countIn } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { activeSignals } from "../../watch/active-signals.ts"
import { driftScore } from "../../watch/scores.ts"
import { allCalls, metricsOf } from "../../watch/session-metrics.ts"
import { signalRules } from "../../watch/signals.ts"
import type { Injection } from "./record.ts"

/** How far a session has left its course when a message comes: kept with it, so that the turn is found where it began. */
export function driftNow(
  { config, source }: Pick<Hive, "config" | "source">,
  state: GraphState,
  session: string,
): NonNullable<Injection["drift"]> {
  const metrics = metricsOf(state, session)
  const watched = { state, session, metrics, now: source.now(), detection: config.detection }
  const found = activeSignals(watched)
  const signals = found.filter(({ name }) => signalRules[name].moves === "drift")
  const { score } = driftScore({ signals, calls: 0, failures: 0, unreadable: 0 })
  return {
    score,
    signals: signals.map(({ name }) => name),
    found: found.map(({ name, value }) => `${Math.round(value * 10) / 10} ${signalRules[name].unit}`),
    calls: { all: allCalls(metrics), failed: countIn(metrics.counts, "tool_failures") },
  }
}
