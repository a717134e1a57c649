import type { SignalName } from "../schemas/signals.ts"
import { activeSignals, stepOf, toldSignals, warningOf } from "./active-signals.ts"
import { type SessionMetrics, timeIn } from "./session-metrics.ts"
import type { Watched } from "./signals.ts"
import { rankOf, type Severity, severities, type Warning } from "./warning.ts"

/** When the model was last warned of a pattern, and how severe it was then. */
export interface ShownWarning {
  at: number
  severity: Severity
}

/** A warning in a message that the model still sees. */
export interface VisibleWarning extends ShownWarning {
  /** A later message has taken it back. */
  isRetracted: boolean
}

/** Warnings in the messages that the model still sees. */
export interface VisibleWarnings {
  /** When the oldest of them came. */
  since: number
  last: (name: SignalName) => VisibleWarning | undefined
}

/**
 * The warnings for the packed state, the most severe first. One that the model sees stays as it is until the pattern gets
 * worse, eases or ends. One that comes back within the cooldown, or was shown in mid-turn, is not shown again unless it is
 * worse.
 */
export function warningsToShow(watched: Watched, visible: VisibleWarnings): Warning[] {
  const { metrics, now, detection } = watched
  const isRecent = (severity: Severity, shown: ShownWarning | undefined) =>
    shown !== undefined &&
    now - shown.at < detection.cooldown_minutes * MINUTE_MS &&
    rankOf(severity) <= rankOf(shown.severity)

  const signals = activeSignals(watched, toldSignals).filter(
    ({ name, severity }) => !isAcknowledged(metrics, name, severity),
  )
  const warnings = signals.flatMap(({ name, severity }) => {
    const last = visible.last(name)
    const inTurn = shownInTurn(watched, name)
    const isKnownFromTurn = isRecent(severity, inTurn) && (inTurn?.at ?? 0) >= visible.since
    if (last !== undefined && !last.isRetracted) {
      const isWorse = rankOf(severity) > rankOf(last.severity)
      return [warningOf(name, isWorse && isKnownFromTurn ? last.severity : severity, detection)]
    }
    return isKnownFromTurn || isRecent(severity, last) ? [] : [warningOf(name, severity, detection)]
  })
  return warnings.sort((a, b) => rankOf(b.severity) - rankOf(a.severity))
}

/** Warnings that cannot wait for the next user message: the most severe patterns, each once per cooldown. */
export function urgentWarnings(
  watched: Watched,
  lastWarning: (name: SignalName) => ShownWarning | undefined,
): (Warning & { id: SignalName })[] {
  const { metrics, now, detection } = watched
  const cooldownMs = Math.max(detection.cooldown_minutes, LEAST_MINUTES) * MINUTE_MS
  const canBeUrgent = toldSignals.filter((name) => stepOf(name, URGENT) !== undefined)
  const urgent = activeSignals(watched, canBeUrgent).filter(
    ({ name, severity }) => severity === URGENT && !isAcknowledged(metrics, name, severity),
  )
  const news = urgent.filter(({ name }) =>
    [shownInTurn(watched, name), lastWarning(name)].every(
      (shown) => shown?.severity !== URGENT || now - shown.at >= cooldownMs,
    ),
  )
  return news.map(({ name, severity }) => ({ ...warningOf(name, severity, detection), id: name }))
}

/** Only the most severe are shown in mid-turn. */
export function shownInTurn({ metrics, now }: Watched, name: SignalName): ShownWarning | undefined {
  const at = timeIn(metrics, shownAt(name), now)
  return at === undefined ? undefined : { at, severity: URGENT }
}

/** The register that holds when a warning was last shown in mid-turn. */
export function shownAt(name: SignalName): string {
  return `warned ${name}`
}

/** The register that holds how severe the pattern was when somebody acknowledged it. */
export function acknowledgedSeverity(name: SignalName): string {
  return `acknowledged ${name}`
}

export function isAcknowledged({ registers }: SessionMetrics, name: SignalName, severity: Severity): boolean {
  const acknowledged = severities.find((each) => each === registers[acknowledgedSeverity(name)])
  return acknowledged !== undefined && rankOf(severity) <= rankOf(acknowledged)
}

const URGENT: Severity = "high"
const MINUTE_MS = 60_000
// Within a turn calls follow each other in seconds: without any cooldown each would carry the warning.
const LEAST_MINUTES = 1
