import { currentTask } from "../graph/current-task.ts"
import { ALL } from "../graph/indexes.ts"
import { isDoneTask, isOpenTask } from "../graph/lifecycle.ts"
import { numberIn } from "../graph/metrics.ts"
import { headOf, sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import { countTasksIn } from "../graph/tasks-in.ts"
import type { Config } from "../schemas/config.ts"
import { type SignalName, signalNames } from "../schemas/signals.ts"
import { HOUR_MS } from "../shared/time.ts"
import { correctionWeight } from "./counting-rules.ts"
import {
  callsThisMinute,
  type SessionMetrics,
  type Streak,
  streakLength,
  textIn,
  timeIn,
} from "./session-metrics.ts"

export interface Watched {
  state: GraphState
  session: string | null
  metrics: SessionMetrics
  now: number
  detection: Config["detection"]
}

interface SignalRule {
  measure: (watched: Watched) => number
  /** The text for the model. `n` is the threshold, not the value, so that the text stays the same while the signal lasts. */
  warning: (n: string) => string
  /**
   * Severity at the threshold. "medium" becomes "high" at twice the threshold; "high" is also shown during a turn; "low" is
   * rarely a real problem, so only people see it, in the status.
   */
  severity: Severity
  /** The score that the signal changes: `drift` is about whether the work is on its task, `health` whether it succeeds. */
  moves: "drift" | "health"
  unit: string
}

/** How each signal is measured, graded and worded. Names, thresholds and options: schemas/signals.ts. */
export const signalRules: Readonly<Record<SignalName, SignalRule>> = {
  corrections: {
    measure: ({ metrics }) => correctionWeight(textIn(metrics, "recent_messages")),
    // Severity "high", so that it is shown during the turn: no message follows a rejected call.
    ...{ severity: "high", moves: "drift" },
    unit: "corrections in the last messages",
    warning: (n) => `The user corrected you ${n} times. Ask, verify, then go on.`,
  },
  cancels: {
    ...{ measure: streak("cancels"), severity: "high", moves: "health" },
    unit: "turns in a row stopped by the user",
    warning: (n) => `The user stopped ${n} turns in a row. Ask what is wrong before you act.`,
  },
  failures: {
    ...{ measure: streak("failed_steps"), severity: "medium", moves: "health" },
    unit: "tool failures in a row",
    warning: (n) => `${n} tool failures in a row. Read the errors; change the approach.`,
  },
  failed_checks: {
    ...{ measure: streak("failed_checks"), severity: "high", moves: "health" },
    unit: "checks in a row that failed after an edit",
    warning: (n) => `${n} fixes, still failing. Stop editing: find the cause first, or ask the user.`,
  },
  rewrites: {
    ...{ measure: streak("rewrites"), severity: "high", moves: "drift" },
    unit: "edits in a row that were made before",
    warning: (n) => `${n} edits in a row that you made before. Find out what undoes them.`,
  },
  same_calls: {
    ...{ measure: streak("same_calls"), severity: "high", moves: "drift" },
    unit: "times the same call with the same result",
    warning: (n) => `The same call ${n} times, with the same result. Do something else.`,
  },
  turns_on_task: {
    measure: ({ state, session, metrics }) =>
      (metrics.registers["task_at_hand"] ?? null) === (currentTask(state, session)?.id ?? null)
        ? streakLength(metrics, "turns_on_task")
        : 0,
    ...{ severity: "low", moves: "drift" },
    unit: "turns on the same task",
    warning: (n) => `${n} turns on the same task.`,
  },
  reads_without_write: {
    measure: ({ state, session, metrics }) =>
      sessionOf(state, session)?.mode === "exploration" ? 0 : streakLength(metrics, "reads"),
    ...{ severity: "low", moves: "drift" },
    unit: "reads in a turn without a write",
    warning: (n) => `${n} reads in a turn, no write.`,
  },
  keywords: {
    ...{ measure: streak("stuck_words"), severity: "low", moves: "health" },
    unit: "calls that speak of being stuck",
    warning: (n) => `${n} calls speak of being stuck.`,
  },
  same_updates: {
    ...{ measure: streak("same_updates"), severity: "low", moves: "drift" },
    unit: "session updates in about the same words",
    warning: (n) => `${n} session updates in about the same words.`,
  },
  writes_without_task: {
    measure: ({ state, session, metrics }) =>
      currentTask(state, session) === undefined ? streakLength(metrics, "writes_without_task") : 0,
    ...{ severity: "low", moves: "drift" },
    unit: "writes without a task",
    warning: (n) => `${n} writes without a task.`,
  },
  calls_per_minute: {
    ...{ measure: callsPerMinute, severity: "medium", moves: "health" },
    unit: "tool calls within a minute",
    warning: (n) => `${n} calls in a minute. A loop? Stop and check.`,
  },
  silence_hours: {
    ...{ measure: hoursOfSilence, severity: "low", moves: "drift" },
    unit: "hours without activity on the task",
    warning: (n) => `Nothing on the current task for ${n} hours.`,
  },
  finished_branches: {
    ...{ measure: finishedTasks, severity: "low", moves: "drift" },
    unit: "finished tasks that are not summarized yet",
    warning: (n) => `${n} finished tasks are not summarized yet.`,
  },
}

function streak(name: Streak): SignalRule["measure"] {
  return ({ metrics }) => streakLength(metrics, name)
}

function callsPerMinute({ metrics, now }: Watched): number {
  const began = timeIn(metrics, "minute_began", now)
  if (began === undefined || now - began >= BURST_LASTS_MS) return 0
  return Math.max(callsThisMinute(metrics), numberIn(metrics.registers, "calls_last_minute"))
}

/** Hours since the task, its checkpoints or the read-head last changed. Times are compared as text: all are UTC in one format. */
function hoursOfSilence({ state, session, now, detection }: Watched): number {
  const task = currentTask(state, session)
  if (task === undefined) return 0
  const moved = headOf(state, session)?.updated_at ?? ""
  let newest = task.updated_at
  if (moved > newest) newest = moved
  const hours = () => Math.max(0, now - Date.parse(newest)) / HOUR_MS
  if (hours() < detection.silence_hours) return 0
  const [last] = state.checkpoint.by("task_id", task.id).backwards()
  if (last !== undefined && last.created_at > newest) newest = last.created_at
  return hours()
}

function finishedTasks({ state }: Watched): number {
  let count = 0
  for (const { id, parent_plan_id } of state.phase.by("unfolded", ALL)) {
    const plan = state.plan.get(parent_plan_id)
    if (plan?.summary !== null || plan.purpose === "unplanned") continue
    const done = countTasksIn(state, "phase", id, isDoneTask)
    if (done > 0 && countTasksIn(state, "phase", id, isOpenTask) === 0) count += done
  }
  return count
}

export interface Signal {
  name: SignalName
  value: number
  threshold: number
  severity: Severity
}

export function activeSignals(watched: Watched, names: readonly SignalName[] = signalNames): Signal[] {
  return names.flatMap((name) => {
    const threshold = watched.detection[name]
    if (threshold === 0) return []
    const value = signalRules[name].measure(watched)
    if (value < threshold) return []
    const { severity } = signalRules[name]
    const isWorse = severity === "medium" && value >= 2 * threshold
    return [{ name, value, threshold, severity: isWorse ? "high" : severity }]
  })
}

export const toldSignals = signalNames.filter((name) => shownTo(name) === "model")

/** `status`: people see the signal in the status, but the model is not warned. */
export function shownTo(name: SignalName): "model" | "status" {
  return signalRules[name].severity === "low" ? "status" : "model"
}

/** The warning for a signal of this severity. Its text does not change while the signal lasts. */
export function warningOf(name: SignalName, severity: Severity, detection: Config["detection"]): Warning {
  const from = detection[name] * (signalRules[name].severity === severity ? 1 : 2)
  return { id: name, severity, text: signalRules[name].warning(`${Math.round(from * 100) / 100}+`) }
}

/** Least severe first. */
export const severities = ["low", "medium", "high"] as const

export type Severity = (typeof severities)[number]

export interface Warning {
  /** At most one warning with this id is shown at a time. */
  id: string
  severity: Severity
  text: string
}

export function rankOf(severity: Severity): number {
  return severities.indexOf(severity) + 1
}

const BURST_LASTS_MS = 10 * 60_000
