import type { Signal, SignalName } from "./signals.ts"
import type { Severity } from "./warning.ts"

export interface Score {
  /** From 0 to 100. */
  score: number
  /** What moved it from where it starts, the most telling first. */
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
    .filter(({ name }) => KINDS[name] === "drift")
    .map((signal) => ({ by: POINTS[signal.severity], why: whyOf(signal) }))
  return scoreFrom(0, moved)
}

/** How well things go: 100 is all well. */
export function healthScore({ signals, calls, failures, unreadable }: Judged): Score {
  const moved = signals
    .filter(({ name }) => KINDS[name] === "health")
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
  return `${Math.round(value * 10) / 10} ${LABELS[name]} (a warning from ${threshold} on)`
}

const POINTS: Record<Severity, number> = { low: 10, medium: 20, high: 35 }
const POINTS_IF_ALL_FAIL = 40

/** Which score a pattern moves: one says where the work goes, the other how it goes. */
const KINDS: Record<SignalName, "drift" | "health"> = {
  failures: "health",
  cancels: "health",
  turns_on_task: "drift",
  reads_without_write: "drift",
  repeats: "drift",
  keywords: "health",
  writes_without_task: "drift",
  calls_per_minute: "health",
  silence_hours: "drift",
  finished_branches: "drift",
  calls_without_plan: "drift",
}

const LABELS: Record<SignalName, string> = {
  failures: "tool failures in a row",
  cancels: "turns in a row stopped by the user",
  turns_on_task: "messages on one task without a checkpoint",
  reads_without_write: "reads in a row without a write",
  repeats: "times the same call or update in a row",
  keywords: "words of being stuck",
  writes_without_task: "writes without a task",
  calls_per_minute: "tool calls within a minute",
  silence_hours: "hours without a sign of life on the task",
  finished_branches: "finished tasks that are not folded",
  calls_without_plan: "tool calls without a plan",
}
