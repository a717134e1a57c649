import type { SignalName } from "../schemas/signals.ts"
import { type SessionMetrics, timeIn } from "./session-metrics.ts"
import {
  activeSignals,
  rankOf,
  type Severity,
  severities,
  toldSignals,
  type Warning,
  type Watched,
  warningOf,
} from "./signals.ts"

export interface ShownWarning {
  at: number
  severity: Severity
}

interface VisibleWarnings {
  /** Time of the oldest message that the model still sees. */
  since: number
  /** The last warning of a signal in a message that the model still sees. */
  last: (name: SignalName) => ShownWarning | undefined
}

/** Warnings for the packed state, most severe first. Leaves out those that a tool's result has shown recently. */
export function warningsToShow(watched: Watched, { since, last }: VisibleWarnings): Warning[] {
  const { metrics, now, detection } = watched
  const isKnownFromTurn = (name: SignalName) => {
    const shown = shownInTurn(watched, name)
    return shown !== undefined && shown.at >= since && now - shown.at < detection.cooldown_minutes * MINUTE_MS
  }
  return activeSignals(watched, toldSignals)
    .filter(({ name, severity }) => !isAcknowledged(metrics, name, severity))
    .filter(({ name }) => last(name) !== undefined || !isKnownFromTurn(name))
    .map(({ name, severity }) => warningOf(name, severity, detection))
    .sort((a, b) => rankOf(b.severity) - rankOf(a.severity))
}

/** Warnings to show during a turn: severe signals, each once per cooldown. */
export function urgentWarnings(
  watched: Watched,
  lastWarning: (name: SignalName) => ShownWarning | undefined,
): (Warning & { id: SignalName })[] {
  const { metrics, now, detection } = watched
  const cooldownMs = Math.max(detection.cooldown_minutes, LEAST_MINUTES) * MINUTE_MS
  const urgent = activeSignals(watched, toldSignals).filter(
    ({ name, severity }) => severity === URGENT && !isAcknowledged(metrics, name, severity),
  )
  const news = urgent.filter(({ name }) =>
    [shownInTurn(watched, name), lastWarning(name)].every(
      (shown) => shown?.severity !== URGENT || now - shown.at >= cooldownMs,
    ),
  )
  return news.map(({ name, severity }) => ({ ...warningOf(name, severity, detection), id: name }))
}

function shownInTurn({ metrics, now }: Watched, name: SignalName): ShownWarning | undefined {
  const at = timeIn(metrics, shownAt(name), now)
  return at === undefined ? undefined : { at, severity: URGENT }
}

export function shownAt(name: SignalName): string {
  return `warned ${name}`
}

export function acknowledgedSeverity(name: SignalName): string {
  return `acknowledged ${name}`
}

export function isAcknowledged({ registers }: SessionMetrics, name: SignalName, severity: Severity): boolean {
  const acknowledged = severities.find((each) => each === registers[acknowledgedSeverity(name)])
  return acknowledged !== undefined && rankOf(severity) <= rankOf(acknowledged)
}

const URGENT: Severity = "high"
const MINUTE_MS = 60_000
// The shortest cooldown: calls follow each other within seconds, and each would repeat the warning.
const LEAST_MINUTES = 1
