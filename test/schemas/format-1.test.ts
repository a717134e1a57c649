import { expect, it } from "vitest"
import { upgradeMetrics, upgradeOp, upgradeRecord } from "../../src/schemas/format-1.ts"
import { rowLength, rows } from "../../src/watch/session-metrics.ts"
import { aCheckpoint, aMem, aPlan, aTask } from "../support/records.ts"

const old = (counts: Record<string, number>) =>
  upgradeMetrics({ id: "ses_1", counts, registers: {}, compactions: 0 })

it("tells values from counters; what has today's shape is left alone", () => {
  const metrics = old({
    "calls read": 7,
    exports: 4,
    most_cancels: 3,
    minute_began: 12,
    compactions: 2,
    last_call: 99,
  })
  expect(metrics).toEqual({
    id: "ses_1",
    counts: { "calls read": 7 },
    registers: { exports: 4, most_cancels: 3, minute_began: 12_000 },
    compactions: 2,
  })
  expect(upgradeMetrics(metrics)).toBe(metrics)
})

it("keeps every row as long as it was", () => {
  const metrics = old({
    tool_failures: 40,
    failures_in_row: 2,
    cancels: 9,
    cancels_in_row: 0,
    reads_in_row: 5,
    writes_without_task: 3,
    same_calls: -1,
    "words loop": 2,
    "words retry": 1,
  })
  const lengths = Object.fromEntries(rows.map((row) => [row, rowLength(metrics, row)]))
  expect(lengths).toMatchObject({
    tool_failures: 2,
    cancels: 0,
    reads: 5,
    writes_without_task: 3,
    stuck_words: 3,
  })
  // Two who reset it at once had both subtracted.
  expect(lengths).toMatchObject({ same_calls: 0 })
  expect(metrics.counts).toMatchObject({ tool_failures: 40, cancels: 9 })
  expect(upgradeMetrics(metrics)).toBe(metrics)
})

it("keeps what was acknowledged, by its severity, and when a warning was shown", () => {
  const { registers } = old({ "acknowledged repeats": 2, "acknowledged failures": 0, "told repeats": 17 })
  expect(registers).toEqual({ "acknowledged repeats": "medium", "warned repeats": 17_000 })
})

it("takes a count of compactions for compactions", () => {
  const count = { op: "count", session: "ses_1", name: "compactions", by: 1 } as const
  expect(upgradeOp(count)).toEqual({ op: "compaction", session: "ses_1" })
  expect(upgradeOp({ ...count, name: "calls" })).toEqual({ ...count, name: "calls" })
})

it("takes a mem for one by rule only if it is on the shelf of a rule, and a title for no more than it says", () => {
  const { origin: _, ...mem } = aMem(1)
  const { purpose: __, ...task } = aTask(1, 2, 3)
  const { purpose: ___, ...plan } = aPlan(1)
  const origin = (more: object) => upgradeRecord("mem", { ...mem, ...more })["origin"]
  expect(origin({ confidence: 0.6, shelf: "commits" })).toBe("commit")
  expect(origin({ confidence: 1, shelf: "commits" })).toBe("saved")
  expect(origin({ confidence: 0.6, shelf: "context" })).toBe("saved")
  const purpose = (more: object) => upgradeRecord("task", { ...task, ...more })["purpose"]
  const title = "Find out: what must be kept at compaction 2"
  expect(purpose({ title, assigned_to: "hive-investigator", delegated_by: "hivemind" })).toBe("report")
  expect(purpose({ title, assigned_to: "hive-investigator", delegated_by: "build" })).toBe("research")
  expect(purpose({ title })).toBe("work")
  expect(upgradeRecord("plan", { ...plan, title: "Research", owned_by: "hivemind" })).toMatchObject({
    purpose: "research",
  })
  expect(upgradeRecord("plan", { ...plan, title: "Research", owned_by: "ann" })).toMatchObject({
    purpose: "work",
  })
  expect(upgradeRecord("mem", aMem(1))).toEqual(aMem(1))
})

it("finds in a checkpoint's summary, command and tool what it did and may have removed", () => {
  const { did: _, removed: __, ...checkpoint } = aCheckpoint(1, 2, { files: ["a.ts"] })
  const upgraded = (more: object) => upgradeRecord("checkpoint", { ...checkpoint, ...more })
  expect(upgraded({})).toMatchObject({ did: [], removed: [] })
  expect(upgraded({ summary: "verify: node prove.js", command: "node prove.js" })).toMatchObject({
    did: ["verify"],
  })
  const chain = "npm test && git -c user.name=x commit -m x"
  expect(upgraded({ summary: `test: ${chain}`, command: chain })).toMatchObject({ did: ["test", "commit"] })
  expect(upgraded({ tool: "apply_patch" })).toMatchObject({ removed: ["a.ts"] })
  expect(upgradeRecord("checkpoint", aCheckpoint(1, 2))).toEqual(aCheckpoint(1, 2))
})
