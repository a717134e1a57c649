import { type ToolUse, toolUses } from "../gate/call.ts"
import { countIn } from "../graph/metrics.ts"
import type { Hive } from "../hive/hive.ts"
import type { Config } from "../schemas/config.ts"
import type { SignalName } from "../schemas/signals.ts"
import { activeSignals, type Signal, warningOf } from "./active-signals.ts"
import { driftScore, healthScore, type Score } from "./scores.ts"
import { allCalls, metricsOf, type SessionMetrics } from "./session-metrics.ts"
import { signalRules } from "./signals.ts"
import type { Severity } from "./warning.ts"
import { isAcknowledged } from "./warnings.ts"

interface ActiveWarning {
  signal: SignalName
  severity: Severity
  text: string
  value: number
  /** From where on it counts as a pattern. */
  threshold: number
  /** `status`: the model is not told. */
  shown_to: "model" | "status"
}

export interface DriftReport {
  session: string | null
  governance: Config["governance"]
  drift: Score
  health: Score
  warnings: ActiveWarning[]
  /** Quiet until they get worse or the pattern ends. */
  acknowledged: ActiveWarning[]
  calls: Record<ToolUse | "all" | "failed", number>
}

/** How a session is doing and why we think so. Reads only; without a session it is about the graph alone. */
export function driftReport(hive: Hive, session: string | null): DriftReport {
  const { state, problems } = hive.store.read()
  const { config } = hive
  const metrics = metricsOf(state, session)
  const signals = activeSignals({
    state,
    session,
    metrics,
    now: hive.source.now(),
    detection: config.detection,
  })
  const isKnown = ({ name, severity }: Signal) => isAcknowledged(metrics, name, severity)
  const describe = ({ name, severity, value, threshold }: Signal): ActiveWarning => ({
    signal: name,
    severity,
    text: warningOf(name, severity, config.detection).text,
    value,
    threshold,
    shown_to: signalRules[name].shownTo,
  })
  const calls = allCalls(metrics)
  const failures = countIn(metrics.counts, "tool_failures")
  const unreadable = problems.filter(({ level }) => level === "quarantined").length
  const judged = { signals, calls, failures, unreadable }
  return {
    session,
    governance: config.governance,
    drift: driftScore(judged),
    health: healthScore(judged),
    warnings: signals.filter((signal) => !isKnown(signal)).map(describe),
    acknowledged: signals.filter(isKnown).map(describe),
    calls: { all: calls, ...callsByUse(metrics), failed: failures },
  }
}

function callsByUse({ counts }: SessionMetrics): Record<ToolUse, number> {
  // Object.fromEntries forgets the names' type; each use is an entry.
  return Object.fromEntries(toolUses.map((use) => [use, countIn(counts, `calls ${use}`)])) as Record<
    ToolUse,
    number
  >
}
