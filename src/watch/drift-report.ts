import { type ToolUse, toolUses } from "../gate/call.ts"
import { countIn, countsOf } from "../graph/counters.ts"
import type { Hive } from "../hive/hive.ts"
import type { SignalName } from "../schemas/signals.ts"
import { type Governance, governanceFor } from "../work/session/governance.ts"
import { activeSignals, type Signal, warningOf } from "./active-signals.ts"
import { driftScore, healthScore, type Score } from "./scores.ts"
import { allCalls } from "./totals.ts"
import type { Severity } from "./warning.ts"
import { isAcknowledged } from "./warnings.ts"

interface ActiveWarning {
  signal: SignalName
  severity: Severity
  text: string
  value: number
  /** From where on it counts as a pattern. */
  threshold: number
}

export interface DriftReport {
  session: string | null
  governance: Governance
  drift: Score
  health: Score
  warnings: ActiveWarning[]
  /** Quiet until they get worse or the pattern ends. */
  acknowledged: ActiveWarning[]
  calls: Record<ToolUse | "all" | "failed", number>
}

/** How a session is doing and why we think so. Reads only; without a session it tells of the graph alone. */
export function driftReport(hive: Hive, session: string | null): DriftReport {
  const { state, problems } = hive.store.read()
  const { config } = hive
  const counts = countsOf(state, session)
  const get = (name: string) => countIn(counts, name)
  const signals = activeSignals({
    state,
    session,
    counts,
    now: hive.source.now(),
    detection: config.detection,
  })
  const isKnown = ({ name, severity }: Signal) => isAcknowledged(counts, name, severity)
  const tell = ({ name, severity, value, threshold }: Signal): ActiveWarning => ({
    signal: name,
    severity,
    text: warningOf(name, severity, config.detection).text,
    value,
    threshold,
  })
  const calls = allCalls(get)
  const failures = get("tool_failures")
  const unreadable = problems.filter(({ level }) => level === "quarantined").length
  const judged = { signals, calls, failures, unreadable }
  return {
    session,
    governance: governanceFor(state, config, session),
    drift: driftScore(judged),
    health: healthScore(judged),
    warnings: signals.filter((signal) => !isKnown(signal)).map(tell),
    acknowledged: signals.filter(isKnown).map(tell),
    calls: { all: calls, ...byUse(get), failed: failures },
  }
}

function byUse(get: (name: string) => number): Record<ToolUse, number> {
  return Object.fromEntries(toolUses.map((use) => [use, get(`calls ${use}`)])) as Record<ToolUse, number>
}
