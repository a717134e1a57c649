import type { Signal } from "./active-signals.ts"
import { signalRules } from "./signals.ts"
import type { Severity } from "./warning.ts"

export interface Score {
  /** From 0 to 100. */
  score: number
  /** The reasons for its distance from the start value, the strongest first. */
  moved: { by: number; why: string }[]
}

export interface Judged {
  signals: readonly Signal[]
  calls: number
  failures: number
  /** Records of the graph that cannot be read. */
  unreadable: number
}

/** How far the work has left its course: 0 is on course. */
export function driftScore({ signals }: Judged): Score {
  const moved = signals
    .filter(({ name }) => signalRules[name].moves === "drift")
    .map((signal) => ({ by: POINTS[signal.severity], why: whyOf(signal) }))
  return scoreFrom(0, moved)
}

/** How well things go: 100 is all well. */
export function healthScore({ signals, calls, failures, unreadable }: Judged): Score {
  const moved = signals
    .filter(({ name }) => signalRules[name].moves === "health")
    .map((signal) => ({ by: -POINTS[signal.severity], why: whyOf(signal) }))
  const failed = Math.min(1, failures / Math.max(1, calls))
  const lost = Math.round(failed * POINTS_IF_ALL_FAIL)
  if (lost > 0) moved.push({ by: -lost, why: `${failures} of ${calls} tool calls failed` })
  if (unreadable > 0)
    moved.push({ by: -POINTS.medium, why: `${unreadable} record(s) of the graph could not be read` })
  return scoreFrom(100, moved)
}

function scoreFrom(start: number, moved: Score["moved"]): Score {
  const sum = moved.reduce((total, { by }) => total + by, start)
  return {
    score: Math.min(100, Math.max(0, sum)),
    moved: moved.sort((a, b) => Math.abs(b.by) - Math.abs(a.by)),
  }
}

function whyOf({ name, value, threshold }: Signal): string {
  return `${Math.round(value * 10) / 10} ${signalRules[name].unit} (a warning from ${threshold} on)`
}

const POINTS: Record<Severity, number> = { low: 10, medium: 20, high: 35 }
const POINTS_IF_ALL_FAIL = 40
