import { type ToolUse, toolUses } from "../gate/call.ts"
import { countIn } from "../graph/metrics.ts"
import type { Hive } from "../hive/hive.ts"
import { allCalls, metricsOf, type SessionMetrics } from "./session-metrics.ts"
import { activeSignals, type Severity, type Signal, shownTo, signalRules, warningOf } from "./signals.ts"
import { isAcknowledged } from "./warnings.ts"

export type DriftReport = ReturnType<typeof driftReport>

/** The scores and warnings of a session. Without a session, only signals of the graph count. */
export function driftReport(hive: Hive, session: string | null) {
  const { state, problems } = hive.store.read()
  const { config } = hive
  const metrics = metricsOf(state, session)
  const watched = { state, session, metrics, now: hive.source.now(), detection: config.detection }
  const signals = activeSignals(watched)
  const isKnown = ({ name, severity }: Signal) => isAcknowledged(metrics, name, severity)
  const describe = ({ name, severity, value, threshold }: Signal) => ({
    signal: name,
    severity,
    text: warningOf(name, severity, config.detection).text,
    value,
    threshold,
    shown_to: shownTo(name),
  })
  const calls = allCalls(metrics)
  const failures = countIn(metrics.counts, "tool_failures")
  const unreadable = problems.filter(({ level }) => level === "quarantined").length
  return {
    session,
    governance: config.governance,
    drift: driftScore(signals),
    health: healthScore(signals, calls, failures, unreadable),
    warnings: signals.filter((signal) => !isKnown(signal)).map(describe),
    acknowledged: signals.filter(isKnown).map(describe),
    calls: { all: calls, ...callsByUse(metrics), failed: failures },
  }
}

function callsByUse({ counts }: SessionMetrics): Record<ToolUse, number> {
  // The cast is needed because Object.fromEntries loses the type of the keys.
  return Object.fromEntries(toolUses.map((use) => [use, countIn(counts, `calls ${use}`)])) as Record<
    ToolUse,
    number
  >
}

interface Score {
  /** From 0 to 100. */
  score: number
  /** The reasons for the score, strongest first. */
  moved: { by: number; why: string }[]
}

export function driftScore(signals: readonly Signal[]): Score {
  return scoreFrom(0, movedBy(signals, "drift", 1))
}

function healthScore(signals: readonly Signal[], calls: number, failures: number, unreadable: number): Score {
  const moved = movedBy(signals, "health", -1)
  const lost = Math.round(Math.min(1, failures / Math.max(1, calls)) * POINTS_IF_ALL_FAIL)
  if (lost > 0) moved.push({ by: -lost, why: `${failures} of ${calls} tool calls failed` })
  if (unreadable > 0)
    moved.push({ by: -POINTS.medium, why: `${unreadable} record(s) of the graph could not be read` })
  return scoreFrom(100, moved)
}

function movedBy(signals: readonly Signal[], score: "drift" | "health", sign: 1 | -1): Score["moved"] {
  return signals
    .filter(({ name }) => signalRules[name].moves === score)
    .map(({ name, severity, value, threshold }) => {
      const why = `${Math.round(value * 10) / 10} ${signalRules[name].unit} (a warning starts at ${threshold})`
      return { by: sign * POINTS[severity], why }
    })
}

function scoreFrom(start: number, moved: Score["moved"]): Score {
  const sum = moved.reduce((total, { by }) => total + by, start)
  return {
    score: Math.min(100, Math.max(0, sum)),
    moved: moved.sort((a, b) => Math.abs(b.by) - Math.abs(a.by)),
  }
}

const POINTS: Record<Severity, number> = { low: 10, medium: 20, high: 35 }
const POINTS_IF_ALL_FAIL = 40
