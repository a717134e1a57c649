import { type Counts, countIn, timeIn } from "../graph/counters.ts"
import { currentTask } from "../graph/current-task.ts"
import { headOf, sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Config } from "../schemas/config.ts"
import { HOUR_MS } from "../shared/time.ts"
import { fingerprint } from "./fingerprint.ts"
import { allCalls, callsThisMinute, type Get, wordsSaid } from "./totals.ts"
import type { Severity } from "./warning.ts"

/** A pattern that is watched for. Its name is that of its threshold in the configuration. */
export type SignalName = Exclude<keyof Config["detection"], "cooldown_minutes">

/** A pattern that is there. */
export interface Signal {
  name: SignalName
  value: number
  threshold: number
  severity: Severity
}

/** What a session is judged by. */
export interface Watched {
  state: GraphState
  session: string | null
  counts: Counts
  now: number
  detection: Config["detection"]
}

/** The patterns that are there, of all or of those asked for. */
export function activeSignals(watched: Watched, names: readonly SignalName[] = signalNames): Signal[] {
  return names.flatMap((name) => {
    const threshold = watched.detection[name]
    if (threshold === 0) return []
    const value = MEASURES[name](watched, (counter) => countIn(watched.counts, counter))
    if (value < threshold) return []
    return [{ name, value, threshold, severity: severityAt(name, value / threshold) }]
  })
}

/** From which multiple of the threshold on a pattern is that severe; undefined if it never is. */
export function stepOf(name: SignalName, severity: Severity): number | undefined {
  return STEPS[SEVERITIES[name].indexOf(severity)]
}

function severityAt(name: SignalName, times: number): Severity {
  return SEVERITIES[name][STEPS.findLastIndex((step) => times >= step)] ?? SEVERITIES[name][0]
}

const STEPS = [1, 2, 4]

/** How severe each is at its threshold, at twice and at four times that. What can wait is never severe. */
const SEVERITIES: Record<SignalName, [Severity, Severity, Severity]> = {
  failures: ["medium", "high", "high"],
  cancels: ["high", "high", "high"],
  turns_on_task: ["low", "medium", "medium"],
  reads_without_write: ["low", "medium", "high"],
  repeats: ["medium", "high", "high"],
  keywords: ["low", "medium", "high"],
  writes_without_task: ["low", "medium", "medium"],
  calls_per_minute: ["medium", "high", "high"],
  silence_hours: ["low", "medium", "medium"],
  finished_branches: ["low", "low", "low"],
  calls_without_plan: ["low", "medium", "medium"],
}

const MEASURES: Record<SignalName, (watched: Watched, get: Get) => number> = {
  failures: (_, get) => get("failures_in_row"),
  cancels: (_, get) => get("cancels_in_row"),
  turns_on_task: ({ state, session }, get) => {
    const task = currentTask(state, session)
    const isThatTask = task !== undefined && get("task_at_hand") === fingerprint(task.id)
    return isThatTask ? get("turns_on_task") : 0
  },
  reads_without_write: ({ state, session }, get) =>
    sessionOf(state, session)?.mode === "exploration" ? 0 : get("reads_in_row"),
  repeats: (_, get) => Math.max(get("same_calls"), get("same_updates")),
  keywords: (_, get) => wordsSaid(get),
  writes_without_task: ({ state, session }, get) =>
    currentTask(state, session) === undefined ? get("writes_without_task") : 0,
  calls_per_minute: ({ counts, now }, get) => {
    const isRecent = now - timeIn(counts, "minute_began", now) * 1000 < BURST_LASTS_MS
    return isRecent ? Math.max(callsThisMinute(get), get("calls_last_minute")) : 0
  },
  silence_hours: (watched) => silence(watched),
  finished_branches: ({ state }) => finishedTasks(state),
  calls_without_plan: ({ state, session }, get) => (needsPlan(state, session) ? allCalls(get) : 0),
}

/** Hours since the last sign of life on the task at hand. Times are compared as text: they are all UTC in one format. */
function silence({ state, session, now, detection }: Watched): number {
  const task = currentTask(state, session)
  if (task === undefined) return 0
  const moved = headOf(state, session)?.updated_at ?? ""
  let newest = task.updated_at
  if (moved > newest) newest = moved
  const hours = () => Math.max(0, now - Date.parse(newest)) / HOUR_MS
  // There can be many checkpoints: they are only looked at where they could break the silence.
  if (hours() < detection.silence_hours) return 0
  for (const { task_id, created_at } of state.checkpoint.values())
    if (task_id === task.id && created_at > newest) newest = created_at
  return hours()
}

/** Completed tasks of phases in which nothing is open, and which nobody has folded yet. */
function finishedTasks(state: GraphState): number {
  const completed = new Map<string, number>()
  const open = new Set<string>()
  for (const { parent_phase_id: phase, status } of state.task.values()) {
    if (status === "completed") completed.set(phase, (completed.get(phase) ?? 0) + 1)
    else if (status !== "failed" && status !== "invalidated") open.add(phase)
  }
  let count = 0
  for (const [id, tasks] of completed) {
    const phase = state.phase.get(id)
    const isFolded = phase?.summary !== null || state.plan.get(phase.parent_plan_id)?.summary !== null
    if (!isFolded && !open.has(id)) count += tasks
  }
  return count
}

/** A session of its own that is to follow a plan and has none. */
function needsPlan(state: GraphState, session: string | null): boolean {
  const record = sessionOf(state, session)
  const isOwn = record === undefined || (record.parent_host_id === null && record.mode === "plan_driven")
  return isOwn && !state.plan.has(headOf(state, session)?.active_plan_id ?? "")
}

export const signalNames = Object.keys(SEVERITIES) as SignalName[]
const BURST_LASTS_MS = 10 * 60_000
