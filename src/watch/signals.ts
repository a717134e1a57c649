import { currentTask } from "../graph/current-task.ts"
import { ALL } from "../graph/indexes.ts"
import { isDoneTask, isOpenTask } from "../graph/lifecycle.ts"
import { numberIn } from "../graph/metrics.ts"
import { headOf, sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import { countTasksIn } from "../graph/tasks-in.ts"
import type { Config } from "../schemas/config.ts"
import type { SignalName } from "../schemas/signals.ts"
import { HOUR_MS } from "../shared/time.ts"
import { callText } from "../shared/tool-names.ts"
import {
  allCalls,
  callsThisMinute,
  type Row,
  recentHits,
  recentStuckWords,
  rowLength,
  type SessionMetrics,
  timeIn,
} from "./session-metrics.ts"
import type { Severity } from "./warning.ts"

/** What a session is judged by. */
export interface Watched {
  state: GraphState
  session: string | null
  metrics: SessionMetrics
  now: number
  detection: Config["detection"]
}

interface SignalRule {
  /** How strong the pattern is now; it is there from its threshold on. */
  measure: (watched: Watched) => number
  /** At the threshold, at twice and at four times that. What can wait is never high. */
  severities: readonly [Severity, Severity, Severity]
  /** Which score it moves: drift is where the work goes, health how it goes. */
  moves: "drift" | "health"
  /** What its value counts, for people. */
  unit: string
  /** What the model reads. `n` is the step that was reached: it must not change while the pattern merely goes on. */
  warning: (n: string) => string
}

/** How each signal is measured, graded and worded. Names, default thresholds and options are in schemas/signals.ts. */
export const signalRules: Readonly<Record<SignalName, SignalRule>> = {
  failures: {
    measure: ({ metrics }) => rowLength(metrics, "tool_failures"),
    severities: ["medium", "high", "high"],
    moves: "health",
    unit: "tool failures in a row",
    warning: (n) => `${n} tool failures in a row. Read the errors; change the approach.`,
  },
  failed_fixes: {
    measure: ({ metrics }) => rowLength(metrics, "failed_fixes"),
    severities: ["high", "high", "high"],
    moves: "health",
    unit: "fixes in a row that did not help",
    warning: (n) => `${n} fixes, still failing. Stop editing: find the cause first, or ask the user.`,
  },
  cancels: {
    measure: ({ metrics }) => rowLength(metrics, "cancels"),
    severities: ["high", "high", "high"],
    moves: "health",
    unit: "turns in a row stopped by the user",
    warning: (n) => `The user stopped ${n} turns in a row. Ask what is wrong before you act.`,
  },
  turns_on_task: {
    measure: turnsOnTask,
    severities: ["low", "medium", "medium"],
    moves: "drift",
    unit: "turns in a row that achieved nothing",
    warning: (n) => `${n} turns, nothing achieved. Name the blocker, or split the task.`,
  },
  reads_without_write: {
    measure: ({ state, session, metrics }) =>
      sessionOf(state, session)?.mode === "exploration" ? 0 : rowLength(metrics, "reads"),
    severities: ["high", "high", "high"],
    moves: "drift",
    unit: "reads in a turn without a write",
    warning: (n) => `${n} reads, no write. Save what you know, then act.`,
  },
  repeats: {
    measure: ({ metrics }) => Math.max(...REPEATED.map((row) => rowLength(metrics, row))),
    severities: ["medium", "high", "high"],
    moves: "drift",
    unit: "times the same call, reading, edit or update",
    warning: (n) =>
      `The same call, reading or edit ${n} times. Say what you expected, then do something else.`,
  },
  keywords: {
    measure: ({ metrics }) => recentStuckWords(metrics),
    severities: ["low", "medium", "high"],
    moves: "health",
    unit: "words of being stuck",
    warning: (n) => `${n} calls speak of being stuck. Step back: what is certain?`,
  },
  off_task: {
    measure: ({ metrics }) => rowLength(metrics, "far_edits"),
    severities: ["high", "high", "high"],
    moves: "drift",
    unit: "edits in a row away from the task",
    warning: (n) => `${n} edits away from the task. Go back, or start their task.`,
  },
  against_knowledge: {
    measure: ({ metrics }) => recentHits(metrics),
    severities: ["high", "high", "high"],
    moves: "drift",
    unit: "calls against a false path or critical anchor",
    warning: () => "A false path or critical anchor warns of this. Read it; ask first.",
  },
  writes_without_task: {
    measure: ({ state, session, metrics }) =>
      currentTask(state, session) === undefined ? rowLength(metrics, "writes_without_task") : 0,
    severities: ["low", "medium", "medium"],
    moves: "drift",
    unit: "writes without a task",
    warning: (n) => `${n} writes without a task. ${callText("session", "update")} names it.`,
  },
  calls_per_minute: {
    measure: callsPerMinute,
    severities: ["medium", "high", "high"],
    moves: "health",
    unit: "tool calls within a minute",
    warning: (n) => `${n} calls in a minute. A loop? Stop and check.`,
  },
  silence_hours: {
    measure: hoursOfSilence,
    severities: ["low", "medium", "medium"],
    moves: "drift",
    unit: "hours without a sign of life on the task",
    warning: (n) => `Nothing on this task for ${n} hours. Check that it still holds.`,
  },
  finished_branches: {
    measure: finishedTasks,
    severities: ["low", "low", "low"],
    moves: "drift",
    unit: "finished tasks that are not folded",
    warning: (n) => `${n} finished tasks. ${callText("hierarchy", "prune")} folds them.`,
  },
  calls_without_plan: {
    measure: (watched) => (needsPlan(watched) ? allCalls(watched.metrics) : 0),
    severities: ["low", "medium", "medium"],
    moves: "drift",
    unit: "tool calls without a plan",
    warning: (n) => `${n} calls without a plan. Make one: ${callText("plan", "create")}.`,
  },
}

/** Turns in vain, by what was done in them or by what the user says of it: nobody says that often without a reason. */
function turnsOnTask({ state, session, metrics }: Watched): number {
  const task = currentTask(state, session)?.id ?? null
  if ((metrics.registers["task_at_hand"] ?? null) !== task) return 0
  return Math.max(rowLength(metrics, "turns_on_task"), rowLength(metrics, "complaints") * COMPLAINT_COUNTS)
}

function callsPerMinute({ metrics, now }: Watched): number {
  const began = timeIn(metrics, "minute_began", now)
  if (began === undefined || now - began >= BURST_LASTS_MS) return 0
  return Math.max(callsThisMinute(metrics), numberIn(metrics.registers, "calls_last_minute"))
}

/** Since the last sign of life on the task at hand. Times are compared as text: they are all UTC in one format. */
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

/** Completed tasks of phases in which nothing is open, and which nobody has folded yet. */
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

/** True of a session of its own that is to follow a plan and has none. */
function needsPlan({ state, session }: Watched): boolean {
  const record = sessionOf(state, session)
  const isOwn = record === undefined || (record.parent_host_id === null && record.mode === "plan_driven")
  return isOwn && !state.plan.has(headOf(state, session)?.active_plan_id ?? "")
}

const REPEATED: readonly Row[] = [
  "same_calls",
  "rereads",
  "returns",
  "same_updates",
  "same_prompts",
  "like_searches",
]
const COMPLAINT_COUNTS = 2
const BURST_LASTS_MS = 10 * 60_000
