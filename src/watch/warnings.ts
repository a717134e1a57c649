import { type Counts, countIn, timeIn } from "../graph/counters.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import { activeSignals, stepOf, warningOf } from "./active-signals.ts"
import type { Watched } from "./signals.ts"
import { rankOf, type Severity, type Warning } from "./warning.ts"

/** The last time the model was told of a pattern, and how severe it was then. */
export interface Told {
  at: number
  severity: Severity
}

/** What the messages in sight say. */
export interface InSight {
  /** When the oldest of them came. */
  since: number
  /** `stands`: it has not been taken back. */
  toldOf: (name: SignalName) => (Told & { stands: boolean }) | undefined
}

/**
 * The warnings for the packed state, the gravest first. One that stands stays as it was told until it gets worse or the
 * pattern ends. One that comes back within the cooldown, or was told in mid-turn, is not told again unless it is worse.
 */
export function warningsToTell(watched: Watched, inSight: InSight): Warning[] {
  const { counts, now, detection } = watched
  const isHeard = (severity: Severity, told: Told | undefined) =>
    told !== undefined &&
    now - told.at < detection.cooldown_minutes * MINUTE_MS &&
    rankOf(severity) <= rankOf(told.severity)

  const signals = activeSignals(watched).filter(
    ({ name, severity }) => !isAcknowledged(counts, name, severity),
  )
  const warnings = signals.flatMap(({ name, severity }) => {
    const told = inSight.toldOf(name)
    const inTurn = toldInTurn(watched, name)
    const isHeardInTurn = isHeard(severity, inTurn) && (inTurn?.at ?? 0) >= inSight.since
    if (told?.stands) {
      const isNews = rankOf(severity) > rankOf(told.severity) && !isHeardInTurn
      return [warningOf(name, isNews ? severity : told.severity, detection)]
    }
    return isHeardInTurn || isHeard(severity, told) ? [] : [warningOf(name, severity, detection)]
  })
  return warnings.sort((a, b) => rankOf(b.severity) - rankOf(a.severity))
}

/** What cannot wait for the next user message: the gravest patterns, each once per cooldown. */
export function urgentWarnings(
  watched: Watched,
  toldOf: (name: SignalName) => Told | undefined,
): (Warning & { id: SignalName })[] {
  const { counts, now, detection } = watched
  const cooldownMs = Math.max(detection.cooldown_minutes, LEAST_MINUTES) * MINUTE_MS
  const canBeUrgent = signalNames.filter((name) => stepOf(name, URGENT) !== undefined)
  const urgent = activeSignals(watched, canBeUrgent).filter(
    ({ name, severity }) => severity === URGENT && !isAcknowledged(counts, name, severity),
  )
  const news = urgent.filter(({ name }) =>
    [toldInTurn(watched, name), toldOf(name)].every(
      (told) => told?.severity !== URGENT || now - told.at >= cooldownMs,
    ),
  )
  return news.map(({ name, severity }) => ({ ...warningOf(name, severity, detection), id: name }))
}

/** Only the gravest are told in mid-turn. */
function toldInTurn({ counts, now }: Watched, name: SignalName): Told | undefined {
  const seconds = timeIn(counts, toldCounter(name), now)
  return seconds === 0 ? undefined : { at: seconds * 1000, severity: URGENT }
}

/** Holds when a pattern was last told in mid-turn, in seconds. */
export function toldCounter(name: SignalName): string {
  return `told ${name}`
}

/** Holds how grave the pattern was when somebody said that they know of it. */
export function acknowledgedCounter(name: SignalName): string {
  return `acknowledged ${name}`
}

export function isAcknowledged(counts: Counts, name: SignalName, severity: Severity): boolean {
  return countIn(counts, acknowledgedCounter(name)) >= rankOf(severity)
}

const URGENT: Severity = "high"
const MINUTE_MS = 60_000
// Within a turn calls follow each other in seconds: without any cooldown each would carry the warning.
const LEAST_MINUTES = 1
