import { describe, expect, it } from "vitest"
import { observe } from "../../src/watch/observe.ts"
import { aCall, countsAfter } from "../support/detect.ts"
import { T0, uuid } from "../support/records.ts"

const read = (filePath: string) => aCall({ args: { filePath } })
const failing = (tool = "edit") => aCall({ tool, ok: false, use: "write" })
const update = (content: string) =>
  aCall({ tool: "hivemind_session", use: "governance", args: { action: "update", level: "tactic", content } })
const message = (n: number | null) => ({ what: "user message", taskId: n === null ? null : uuid(n) }) as const

describe("failures", () => {
  it("add up in a row and end with a success", () => {
    const counts = countsAfter([failing(), failing(), failing("bash")])
    expect(counts).toMatchObject({ failures_in_row: 3, tool_failures: 3 })
    expect(countsAfter([read("a")], counts)).toMatchObject({ failures_in_row: 0, tool_failures: 3 })
  })
})

describe("reading", () => {
  const reads = [read("a"), aCall({ tool: "grep", use: "query" }), read("b")]

  it("adds up until something is written", () => {
    expect(countsAfter(reads)["reads_in_row"]).toBe(3)
    expect(countsAfter([...reads, aCall({ use: "run" })])["reads_in_row"]).toBe(3)
    expect(countsAfter([...reads, aCall({ use: "write" })])["reads_in_row"]).toBe(0)
  })

  it.each(["hive-investigator", "hive-coordinator", "plan", "explore"])("is the work of %s", (agent) => {
    expect(countsAfter([aCall({ agent })])["reads_in_row"]).toBeUndefined()
  })
})

describe("writes", () => {
  it("without a task add up, and one for a task ends that", () => {
    const loose = aCall({ use: "write", task: null })
    expect(countsAfter([loose, loose])["writes_without_task"]).toBe(2)
    expect(countsAfter([loose, loose, aCall({ use: "write" })])["writes_without_task"]).toBe(0)
  })
})

describe("repeats", () => {
  it("are the same call with the same arguments, one right after the other", () => {
    expect(countsAfter([read("a"), read("a"), read("a")])["same_calls"]).toBe(3)
    expect(countsAfter([read("a"), read("a"), read("b")])["same_calls"]).toBe(1)
    expect(countsAfter([read("a"), failing(), read("a")])["same_calls"]).toBe(1)
  })

  it("are also updates of about the same words, with other calls between", () => {
    const circling = [
      update("Fix the failing login test in auth"),
      read("a"),
      update("fix failing login test in the auth"),
      read("b"),
      update("Fix the failing login tests, in auth: login test"),
    ]
    expect(countsAfter(circling)["same_updates"]).toBe(3)
    expect(countsAfter([...circling, update("Write the release notes")])["same_updates"]).toBe(1)
  })

  it("of updates end when the work moves on by a task's tool", () => {
    const complete = aCall({ tool: "hivemind_task", use: "governance", args: { action: "complete" } })
    const counts = countsAfter([update("Fix it"), update("Fix it"), complete])
    expect(counts["same_updates"]).toBe(0)
    expect(countsAfter([update("Fix it")], counts)["same_updates"]).toBe(1)
  })
})

describe("words of being stuck", () => {
  const said = (description: string) =>
    aCall({ tool: "bash", use: "run", args: { command: "x", description } })

  it("are counted by cluster, and start anew after many calls without any", () => {
    const counts = countsAfter([said("Retry the build"), said("Stuck; trying again")])
    expect(counts).toMatchObject({ "words retry": 2, "words stuck": 1 })
    const later = countsAfter([...Array.from({ length: 12 }, () => read("a")), said("retrying")], counts)
    expect(later).toMatchObject({ "words retry": 1, "words stuck": 0 })
  })
})

describe("calls per minute", () => {
  const calls = (count: number) => Array.from({ length: count }, () => read("a"))

  it("are those since the minute began, and the whole minute before", () => {
    const first = countsAfter(calls(30))
    expect(first).toMatchObject({ minute_began: T0 / 1000, calls_before_minute: 0 })
    const second = countsAfter(calls(2), first, T0 + 65_000)
    expect(second).toMatchObject({ calls_last_minute: 30, calls_before_minute: 30 })
    expect(countsAfter(calls(1), second, T0 + 300_000)).toMatchObject({ calls_last_minute: 0 })
  })
})

describe("user messages", () => {
  it("on one task add up; another task, none, or a checkpoint start anew", () => {
    expect(countsAfter([message(1), message(1), message(1)])["turns_on_task"]).toBe(3)
    expect(countsAfter([message(1), message(1), message(2)])["turns_on_task"]).toBe(1)
    expect(countsAfter([message(1), message(null)])["turns_on_task"]).toBe(0)
    const deed = aCall({ use: "write", isDeed: true })
    expect(countsAfter([message(1), message(1), deed])["turns_on_task"]).toBe(0)
    expect(countsAfter([message(1), message(1), deed, message(1)])["turns_on_task"]).toBe(1)
  })

  it("without a task write nothing at all", () => {
    expect(countsAfter([message(null)])).toEqual({ task_at_hand: 0, turns_on_task: 0 })
  })
})

describe("stopped turns", () => {
  const cancelled = { what: "cancelled turn" } as const
  const good = { what: "good turn" } as const

  it("add up in a row; a turn that ends well ends the row, but the longest one is remembered", () => {
    const counts = countsAfter([cancelled, cancelled, cancelled, good])
    expect(counts).toMatchObject({ cancels: 3, cancels_in_row: 0, most_cancels: 3 })
    expect(countsAfter([cancelled], counts)).toMatchObject({ cancels_in_row: 1, most_cancels: 3 })
  })
})

describe("impossible values", () => {
  it("count as none, and the next write puts them right", () => {
    const broken = { failures_in_row: -4, minute_began: T0 / 1000 + 9999, same_calls: -1, "calls read": -3 }
    const next = observe(broken, failing(), T0)
    expect(Object.fromEntries(next)).toMatchObject({
      failures_in_row: 1,
      minute_began: T0 / 1000,
      same_calls: 1,
    })
  })
})
