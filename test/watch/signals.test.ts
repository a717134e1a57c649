import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { headIdOf, sessionIdOf } from "../../src/graph/read-head.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import type { Session } from "../../src/schemas/session.ts"
import { type SignalName, signalNames } from "../../src/schemas/signals.ts"
import type { SessionEvent } from "../../src/watch/counting-rules.ts"
import type { Streak } from "../../src/watch/session-metrics.ts"
import { activeSignals } from "../../src/watch/signals.ts"
import { graphOf } from "../support/graph.ts"
import { T0 } from "../support/records.ts"
import { aCall, inARow, metricsAfter, NO_METRICS } from "../support/session-metrics.ts"

const HOUR = 3_600_000
const OFF = Object.fromEntries(signalNames.map((name) => [name, 0])) as Record<SignalName, number>

function project({ at = "task" as "task" | "plan", mode = "plan_driven" as Session["mode"] } = {}) {
  const g = graphOf()
  const plan = g.plan("Auth")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Build login", { status: "active" })
  const head = g.head("x", plan, phase, ...(at === "task" ? [task] : []))
  g.state.trajectory.set(headIdOf("ses_1"), { ...head, id: headIdOf("ses_1") })
  const made = { created_at: g.at(0), updated_at: g.at(0), stamp: "301411022026" }
  const session: Session = {
    ...{ id: sessionIdOf("ses_1"), host_id: "ses_1", parent_host_id: null, agent: null, branch: null },
    ...{ mode, intent: null, status: "active", summary: null, next_report: null, turning_points: [] },
    ...{ closed_at: null, continues: null, continued_in: null, ...made },
  }
  g.state.session.set(session.id, session)
  const seen = (name: SignalName, threshold: number, metrics = NO_METRICS, now = T0) =>
    activeSignals({
      state: g.state,
      session: "ses_1",
      metrics,
      now,
      detection: { ...defaultConfig.detection, ...OFF, [name]: threshold },
    })[0]
  return { g, phase, task, seen }
}

const many = (count: number, event: SessionEvent) => Array.from({ length: count }, () => event)
const apart = (count: number, more: object) =>
  Array.from({ length: count }, (_, n) => aCall({ args: { n }, ...more }))

const message = (taskId: string | null, text = ""): SessionEvent => ({ what: "user message", taskId, text })

/** The streaks that signals measure. How they are counted is tested in counting-rules.test.ts. */
const STREAKS: Partial<Record<SignalName, Streak>> = {
  ...{ failures: "failed_steps", keywords: "stuck_words", reads_without_write: "reads" },
  ...{ failed_checks: "failed_checks", rewrites: "rewrites", same_calls: "same_calls", cancels: "cancels" },
  ...{ same_updates: "same_updates", turns_on_task: "turns_on_task" },
  writes_without_task: "writes_without_task",
}
const THRESHOLD = 3

/** The signal at THRESHOLD, and with threshold 0, when it is `n` strong. */
function measured(name: SignalName, n: number) {
  const { g, phase, task, seen } = project(name === "writes_without_task" ? { at: "plan" } : {})
  if (name === "finished_branches") {
    g.state.task.set(task.id, { ...task, status: "completed" })
    for (let count = 1; count < n; count++) g.task(phase, `Done ${count}`, { status: "completed" })
  }
  const streak = STREAKS[name]
  const { counts, registers } = streak === undefined ? NO_METRICS : inARow({ [streak]: n })
  const others = { task_at_hand: task.id, minute_began: T0, recent_messages: "c".repeat(n) }
  const metrics = { counts: { ...counts, "calls read": n }, registers: { ...registers, ...others } }
  const now = name === "silence_hours" ? T0 + n * HOUR : T0
  return [THRESHOLD, 0].map((threshold) => seen(name, threshold, metrics, now))
}

describe.each(signalNames)("%s", (name) => {
  it("is on from its threshold, and never with threshold 0", () => {
    expect(measured(name, THRESHOLD - 1)).toEqual([undefined, undefined])
    const [on, off] = measured(name, THRESHOLD)
    expect(on).toMatchObject({ name, value: THRESHOLD, threshold: THRESHOLD })
    expect(off).toBeUndefined()
  })

  it("gets more severe at twice that, or stays as it is", () => {
    const [once, twice, often] = [1, 2, 4].map(
      (times) => measured(name, THRESHOLD * times)[0]?.severity ?? "low",
    )
    expect([once, twice]).toEqual(once === "medium" ? ["medium", "high"] : [once, once])
    expect(often).toBe(twice)
  })
})

it("the table in docs/detection.md names every signal with its default", () => {
  const page = readFileSync(new URL("../../docs/detection.md", import.meta.url), "utf8")
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ])
  expect(rows).toEqual(signalNames.map((name) => [name, defaultConfig.detection[name]]))
})

describe("a signal is off", () => {
  it("turns: on another task", () => {
    const { g, phase, task, seen } = project()
    const metrics = metricsAfter(many(5, message(task.id)))
    expect(seen("turns_on_task", 3, metrics)).toBeDefined()
    const other = g.task(phase, "Other", { status: "active" })
    const id = headIdOf("ses_1")
    g.state.trajectory.set(id, { ...g.head("x", undefined, phase, other), id })
    expect(seen("turns_on_task", 3, metrics)).toBeUndefined()
  })

  it("reads in exploration mode, writes once there is a task", () => {
    const reads = metricsAfter(apart(5, {}))
    expect(project().seen("reads_without_write", 3, reads)).toBeDefined()
    expect(project({ mode: "exploration" }).seen("reads_without_write", 3, reads)).toBeUndefined()
    const writes = metricsAfter(apart(5, { use: "write", task: null }))
    expect(project().seen("writes_without_task", 3, writes)).toBeUndefined()
  })

  it("calls per minute: after a calm minute or a long time", () => {
    const burst = metricsAfter(apart(40, {}))
    const { seen } = project()
    expect(seen("calls_per_minute", 40, burst, T0 + 5 * 60_000)).toBeDefined()
    expect(seen("calls_per_minute", 40, burst, T0 + 11 * 60_000)).toBeUndefined()
    const next = metricsAfter(apart(2, {}), burst, T0 + 61_000)
    expect(seen("calls_per_minute", 40, next, T0 + 63_000)).toBeDefined()
    const calm = metricsAfter(apart(2, {}), next, T0 + 122_000)
    expect(seen("calls_per_minute", 40, calm, T0 + 124_000)).toBeUndefined()
  })

  it("silence: after a checkpoint or change; not for future times", () => {
    const now = T0 + 10 * HOUR
    const { g, task, seen } = project()
    expect(seen("silence_hours", 2, NO_METRICS, now)?.value).toBe(10)
    g.checkpoint(task, { created_at: new Date(now - HOUR).toISOString() })
    expect(seen("silence_hours", 2, NO_METRICS, now)).toBeUndefined()
    g.state.checkpoint.clear()
    g.state.task.set(task.id, { ...task, updated_at: new Date(now + HOUR).toISOString() })
    expect(seen("silence_hours", 2, NO_METRICS, now)).toBeUndefined()
    expect(project({ at: "plan" }).seen("silence_hours", 2, NO_METRICS, now)).toBeUndefined()
  })

  it("finished branches: if folded or with open tasks", () => {
    const { g, phase, task, seen } = project()
    for (let n = 0; n < 5; n++) g.task(phase, `Done ${n}`, { status: "completed" })
    expect(seen("finished_branches", 3)).toBeUndefined()
    g.state.task.set(task.id, { ...task, status: "failed" })
    expect(seen("finished_branches", 3)?.value).toBe(5)
    g.state.phase.set(phase.id, { ...phase, summary: "All done" })
    expect(seen("finished_branches", 3)).toBeUndefined()
  })

  it("with invalid registers", () => {
    const registers = { minute_began: T0 + 99_000, calls_last_minute: 99, "reads before row": "x" }
    const metrics = { counts: { reads: 50 }, registers }
    for (const name of signalNames) expect(project().seen(name, 1, metrics), name).toBeUndefined()
  })
})
