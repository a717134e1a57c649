import fc from "fast-check"
import { expect, it } from "vitest"
import { applyOp, emptyState, type GraphState } from "../../src/graph/state.ts"
import { draftOps } from "../../src/graph/transaction.ts"
import type { Op } from "../../src/schemas/op.ts"
import { signalNames } from "../../src/schemas/signals.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { createLayout } from "../../src/store/files/layout.ts"
import { activeSignals } from "../../src/watch/active-signals.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { fingerprint } from "../../src/watch/fingerprint.ts"
import { draftMetrics } from "../../src/watch/metrics-draft.ts"
import { observe, type SessionEvent } from "../../src/watch/observe.ts"
import { metricsOf, rowLength, rows } from "../../src/watch/session-metrics.ts"
import { memoryHive } from "../support/hive.ts"
import { T0, uuid } from "../support/records.ts"
import { aCall } from "../support/session-metrics.ts"
import { tempProject } from "../support/temp-project.ts"

const SESSION = "ses_1"
const WORDS = ["Fix the login test", "fix login test", "Write the release notes"]
const TASKS = [1, 2].map((n) => uuid(n))

const call = fc
  .record({
    tool: fc.constantFrom("read", "edit", "bash", "hivemind_session", "hivemind_task"),
    ok: fc.boolean(),
    n: fc.nat(2),
    content: fc.constantFrom(...WORDS),
    task: fc.constantFrom("Build login", null),
    step: fc.constantFrom("msg_1", "msg_2", null),
  })
  .map(({ tool, n, content, ...more }) => {
    const own = tool.startsWith("hivemind_")
    const args = own ? { action: "update", content } : { n, description: "Let me retry it" }
    return aCall({ tool, args, ...more })
  })
const event: fc.Arbitrary<SessionEvent> = fc.oneof(
  { weight: 5, arbitrary: call },
  fc.constantFrom(null, ...TASKS).map((taskId) => ({ what: "user message" as const, taskId, text: "" })),
  fc.constantFrom(
    { what: "cancelled turn" as const, said: "" },
    { what: "good turn" as const, said: "Shall I?" },
  ),
)

/** A writer reads, decides what an event changes, and appends that at some later moment. */
const step = fc.record({
  writer: fc.constantFrom("one", "other"),
  does: fc.constantFrom("read", "append"),
  event,
  seconds: fc.nat(90),
})

it("two writers whose reads and appends interleave corrupt nothing", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const state = emptyState()
      const pending = new Map<string, { event: SessionEvent; ops: Op[] }>()
      const written: SessionEvent[] = []
      const times = new Set<number>()
      let now = T0
      for (const { writer, does, event: seen, seconds } of steps) {
        now += seconds * 1000
        const decided = pending.get(writer)
        if (does === "read" && decided === undefined) {
          times.add(now)
          pending.set(writer, { event: seen, ops: opsOf(state, seen, now) })
        } else if (does === "append" && decided !== undefined) {
          pending.delete(writer)
          for (const op of decided.ops) applyOp(state, op)
          written.push(decided.event)
          checkMetrics(state, written, times, now)
        }
      }
    }),
    { numRuns: 300, seed: 3 },
  )
})

function opsOf(state: GraphState, seen: SessionEvent, now: number): Op[] {
  const draft = draftMetrics(metricsOf(state, SESSION))
  observe(draft, seen, now)
  return draftOps(
    state,
    () => false,
    (tx) => draft.write(tx, SESSION),
  ).ops
}

function checkMetrics(state: GraphState, written: SessionEvent[], times: Set<number>, now: number): void {
  const metrics = metricsOf(state, SESSION)
  const { counts, registers } = metrics
  const calls = written.filter((each) => each.what === "call")
  const failures = calls.filter(({ ok }) => !ok).length
  expect(counts["tool_failures"] ?? 0).toBe(failures)
  expect(sum(Object.entries(counts).filter(([name]) => name.startsWith("calls ")))).toBe(calls.length)
  const stops = written.filter(({ what }) => what === "cancelled turn").length
  expect(counts["cancels"] ?? 0).toBeLessThanOrEqual(stops)

  for (const row of rows) {
    expect(rowLength(metrics, row), row).toBeGreaterThanOrEqual(0)
    expect(rowLength(metrics, row), row).toBeLessThanOrEqual(counts[row] ?? 0)
  }
  const one = (values: unknown[]) => [undefined, ...values]
  const lastCalls = calls.map(({ signature, ok, said }) => fingerprint([signature, ok ? said : null]))
  expect(one(lastCalls)).toContain(registers["last_call"])
  expect(one(WORDS.map((words) => words.toLowerCase()))).toContain(registers["last_update"])
  expect(one(TASKS)).toContain(registers["task_at_hand"])
  expect(one([...times])).toContain(registers["minute_began"])

  const detection = { ...memoryHive().config.detection }
  for (const name of signalNames) detection[name] = 0.1
  for (const { name, value } of activeSignals({ state, session: SESSION, metrics, now, detection }))
    expect(value, name).toBeLessThanOrEqual(written.length)
}

function sum(entries: [string, number][]): number {
  return entries.reduce((total, [, value]) => total + value, 0)
}

it("two processes on one folder add up, and what one of them ends stays ended", async () => {
  const project = await tempProject()
  await createLayout(project)
  const open = () => {
    const store = openFileStore(project, { source: systemSource })
    return { ...memoryHive(), home: project, dir: project, source: systemSource, store }
  }
  const hives = [open(), open()] as const
  const caller = { session: SESSION, agent: "build", tool: "test" }
  const failing = (n: number) => aCall({ tool: "bash", ok: false, args: { n } })
  await Promise.all(
    hives.flatMap((hive) => Array.from({ length: 10 }, (_, n) => countEvent(hive, caller, failing(n)))),
  )
  const seen = () =>
    hives.map(({ store }) => rowLength(metricsOf(store.read().state, SESSION), "failed_steps"))
  expect(seen()).toEqual([20, 20])
  await Promise.all(hives.map((hive) => countEvent(hive, caller, aCall({ use: "write" }))))
  expect(seen()).toEqual([0, 0])
  await countEvent(hives[0], caller, failing(0))
  expect(seen()).toEqual([1, 1])
  for (const { store } of hives) await store.close()
})
