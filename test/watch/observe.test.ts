import { describe, expect, it } from "vitest"
import { type Row, rowLength, type SessionMetrics } from "../../src/watch/session-metrics.ts"
import type { CallPlace } from "../../src/watch/task-place.ts"
import { T0, uuid } from "../support/records.ts"
import { aCall, metricsAfter } from "../support/session-metrics.ts"

const read = (filePath: string) => aCall({ args: { filePath } })
const failing = (tool = "edit") => aCall({ tool, ok: false, use: "write" })
const update = (content: string) =>
  aCall({ tool: "hivemind_session", use: "governance", args: { action: "update", level: "tactic", content } })
const message = (n: number | null) =>
  ({ what: "user message", taskId: n === null ? null : uuid(n), text: "" }) as const
const row = (name: Row, ...args: Parameters<typeof metricsAfter>) => rowLength(metricsAfter(...args), name)

describe("failures", () => {
  const written = aCall({ tool: "write", use: "write" })

  it("add up in a row and end with something done", () => {
    const metrics = metricsAfter([failing(), failing(), failing("bash")])
    expect(rowLength(metrics, "tool_failures")).toBe(3)
    expect(row("tool_failures", [written], metrics)).toBe(0)
    expect(row("tool_failures", [written, failing()], metrics)).toBe(1)
    expect(metricsAfter([written], metrics).counts).toMatchObject({ tool_failures: 3 })
  })

  it("go on across a look at something, not across many", () => {
    const look = (count: number) => Array.from({ length: count }, (_, n) => read(`${n}`))
    expect(row("tool_failures", [failing(), ...look(1), failing(), ...look(3), failing()])).toBe(3)
    expect(row("tool_failures", [failing(), ...look(4), failing()])).toBe(1)
  })
})

describe("fixes that do not help", () => {
  const fix = aCall({ tool: "edit", use: "write" })
  const test = (said: string, ok = false, command = "npm test") =>
    aCall({ tool: "bash", args: { command }, use: "run", command: "check", ok, said })

  it("count whole with the error of last time, whatever it took, and half with another one", () => {
    expect(row("failed_fixes", [fix, test("a (12 ms)"), fix, test("a (7 ms)")])).toBe(2)
    expect(row("failed_fixes", [fix, test("41 errors"), fix, test("30 errors")])).toBe(1.5)
    expect(row("failed_fixes", [test("a"), test("a"), fix, test("a")])).toBe(1)
  })

  it("end when a check passes", () => {
    expect(row("failed_fixes", [fix, test("a"), fix, test("a"), test("", true, "npm run lint")])).toBe(0)
  })
})

describe("reading", () => {
  const reads = [read("a"), aCall({ tool: "grep", use: "query" }), read("b")]

  it("adds up until something is written", () => {
    expect(row("reads", reads)).toBe(3)
    expect(row("reads", [...reads, aCall({ use: "run" })])).toBe(3)
    expect(row("reads", [...reads, aCall({ use: "write" })])).toBe(0)
  })

  it.each(["hive-investigator", "hive-coordinator", "plan", "explore"])("is the work of %s", (agent) => {
    expect(row("reads", [aCall({ agent })])).toBe(0)
  })
})

describe("writes", () => {
  it("without a task add up, and one for a task ends that", () => {
    const loose = aCall({ use: "write", task: null })
    expect(row("writes_without_task", [loose, loose])).toBe(2)
    expect(row("writes_without_task", [loose, loose, aCall({ use: "write" })])).toBe(0)
  })
})

describe("repeats", () => {
  it("are the same call with the same arguments, one right after the other", () => {
    expect(row("same_calls", [read("a"), read("a"), read("a")])).toBe(3)
    expect(row("same_calls", [read("a"), read("a"), read("b")])).toBe(1)
    expect(row("same_calls", [read("a"), failing(), read("a")])).toBe(1)
  })

  it("are not calls whose result changes, as of a build that is waited for", () => {
    const look = (said: string) => aCall({ tool: "bash", args: { command: "gh run view" }, said })
    expect(row("same_calls", [look("1 of 3"), look("2 of 3"), look("3 of 3")])).toBe(1)
  })

  it("are reading what was just read and has not changed, with other calls between", () => {
    expect(row("rereads", [read("a"), read("b"), read("a"), read("b"), read("a")])).toBe(3)
    const write = aCall({ tool: "write", use: "write" })
    expect(row("rereads", [read("a"), write, read("a"), write, read("a")])).toBe(0)
    const fresh = Array.from({ length: 5 }, (_, n) => read(`new ${n}`))
    expect(row("rereads", [read("a"), read("a"), ...fresh])).toBe(0)
  })

  it("are edits to and fro, the same edit again, and a file deleted again", () => {
    const edit = (oldString: string, newString: string, filePath = "a.ts") =>
      aCall({ tool: "edit", use: "write", args: { filePath, oldString, newString } })
    expect(row("returns", [edit("A", "B"), edit("B", "A")])).toBe(2)
    expect(row("returns", [edit("A", "B"), edit("B", "A"), edit("A", "B")])).toBe(3)
    expect(row("returns", [edit("A", "B"), edit("B", "C"), edit("C", "D")])).toBe(0)
    expect(row("returns", [edit("A", "B"), edit("A", "B", "b.ts"), edit("A", "B", "c.ts")])).toBe(0)
    const gone = aCall({ tool: "bash", use: "write", removed: ["a.ts"] })
    expect(row("returns", [gone, edit("", "x"), gone, edit("", "y"), gone])).toBe(3)
  })

  it("are subagents that are told the same in about the same words, not those with files of their own", () => {
    const send = (prompt: string) => aCall({ tool: "task", args: { subagent_type: "general", prompt } })
    const alike = [send("Fix the flaky upload test."), send("Please fix the flaky upload test again.")]
    expect(row("same_prompts", alike)).toBe(2)
    expect(row("same_prompts", [send("Review src/a.ts for bugs"), send("Review src/b.ts for bugs")])).toBe(1)
  })

  it("are also updates of about the same words, with other calls between", () => {
    const circling = [
      update("Fix the failing login test in auth"),
      read("a"),
      update("fix failing login test in the auth"),
      read("b"),
      update("Fix the failing login tests, in auth: login test"),
    ]
    expect(row("same_updates", circling)).toBe(3)
    expect(row("same_updates", [...circling, update("Write the release notes")])).toBe(1)
  })

  it("of updates end when the work moves on by a task's tool", () => {
    const complete = aCall({ tool: "hivemind_task", use: "governance", args: { action: "complete" } })
    const metrics = metricsAfter([update("Fix it"), update("Fix it"), complete])
    expect(rowLength(metrics, "same_updates")).toBe(0)
    expect(row("same_updates", [update("Fix it")], metrics)).toBe(1)
  })
})

describe("words of being stuck", () => {
  const said = (description: string) =>
    aCall({ tool: "bash", use: "run", args: { command: "x", description } })

  it("add up, each sort once per call, and start anew after many calls without any", () => {
    const metrics = metricsAfter([said("Let me retry the build"), said("I am stuck; trying again")])
    expect(rowLength(metrics, "stuck_words")).toBe(3)
    const later = [...Array.from({ length: 12 }, () => read("a")), said("I will try again")]
    expect(row("stuck_words", later, metrics)).toBe(1)
  })
})

describe("calls per minute", () => {
  const calls = (count: number) => Array.from({ length: count }, () => read("a"))

  it("are those since the minute began, and the whole minute before", () => {
    const first = metricsAfter(calls(30))
    expect(first.registers).toMatchObject({ minute_began: T0, calls_before_minute: 0 })
    const second = metricsAfter(calls(2), first, T0 + 65_000)
    expect(second.registers).toMatchObject({ calls_last_minute: 30, calls_before_minute: 30 })
    expect(metricsAfter(calls(1), second, T0 + 300_000).registers).toMatchObject({ calls_last_minute: 0 })
  })

  it("a minute that begins in the future does not count: the clock was set back", () => {
    const ahead: SessionMetrics = { counts: {}, registers: { minute_began: T0 + 9_999_000 } }
    expect(metricsAfter(calls(1), ahead).registers).toMatchObject({ minute_began: T0 })
  })
})

describe("user messages", () => {
  const tried = aCall({ tool: "bash", use: "run" })
  const inVain = [message(1), tried, message(1), tried, message(1)]

  it("after something was tried in vain add up; another task, none, or a checkpoint start anew", () => {
    expect(row("turns_on_task", inVain)).toBe(2)
    expect(row("turns_on_task", [...inVain, tried, message(2)])).toBe(0)
    expect(row("turns_on_task", [...inVain, tried, message(null)])).toBe(0)
    const written = aCall({ use: "write", leftCheckpoint: true })
    expect(row("turns_on_task", [...inVain, written])).toBe(0)
    expect(row("turns_on_task", [...inVain, written, message(1)])).toBe(0)
    const failed = aCall({ tool: "bash", use: "run", command: "check", ok: false, leftCheckpoint: true })
    expect(row("turns_on_task", [...inVain, failed, message(1)])).toBe(3)
  })

  it("that only led to reading are questions", () => {
    expect(row("turns_on_task", [message(1), read("a"), message(1), message(1)])).toBe(0)
  })

  it("without a task change nothing at all", () => {
    expect(metricsAfter([message(null)])).toEqual({ counts: {}, registers: {} })
  })
})

describe("stopped turns", () => {
  const cancelled = { what: "cancelled turn" } as const
  const good = { what: "good turn" } as const

  it("add up in a row; a turn that ends well ends the row, but the longest one is remembered", () => {
    const metrics = metricsAfter([cancelled, cancelled, cancelled, good])
    expect(metrics).toMatchObject({ counts: { cancels: 3 }, registers: { most_cancels: 3 } })
    expect(rowLength(metrics, "cancels")).toBe(0)
    const next = metricsAfter([cancelled], metrics)
    expect(rowLength(next, "cancels")).toBe(1)
    expect(next.registers).toMatchObject({ most_cancels: 3 })
  })
})

describe("the way of the work", () => {
  const at = (sort: CallPlace["sort"], folder = "src/billing") =>
    aCall({ tool: "edit", use: "write", place: { sort, folder } })
  const besides = (count: number) => Array.from({ length: count }, () => at("beside"))

  it("edits beside a task that names no place count once its place was seen, in one folder", () => {
    expect(row("far_edits", besides(8))).toBe(0)
    expect(row("far_edits", [at("seen"), ...besides(8)])).toBe(6)
    expect(row("far_edits", [at("here"), ...besides(7), at("beside", "src/api")])).toBe(0.75)
    expect(row("far_edits", [at("here"), ...besides(7), at("related")])).toBe(0)
  })

  it("the place of one task is not that of another", () => {
    const other = aCall({ use: "write", task: "Another", place: { sort: "beside", folder: "src/billing" } })
    expect(row("far_edits", [at("here"), other, other])).toBe(0)
  })
})

describe("searches", () => {
  const search = (query: string) => aCall({ tool: "websearch", use: "query", args: { query } })

  it("in about the same words add up; other ones fade them out", () => {
    const again = [
      "vite hot reload not working",
      "why is vite hot reload not working",
      "vite hot reload fix work",
    ]
    expect(row("like_searches", again.map(search))).toBe(2)
    const fresh = ["a", "b", "c", "d", "e"].map((word) =>
      search(`${word}${word} one${word} two${word} three${word}`),
    )
    expect(row("like_searches", [...again.map(search), ...fresh])).toBe(0)
  })

  it("are no searches where they are addresses, paths or single words", () => {
    const calls = ["https://vite.dev/guide/hot reload work", "src/vite hot reload work", "reload"].flatMap(
      (query) => Array.from({ length: 4 }, () => search(query)),
    )
    expect(row("like_searches", calls)).toBe(0)
  })
})

describe("what the user says of it", () => {
  const says = (text: string) => ({ what: "user message", taskId: uuid(1), text }) as const

  it("adds up while it is that nothing has helped", () => {
    const said = [says("It still overlaps."), says("That did not help."), says("It's still not fixed.")]
    expect(row("complaints", said)).toBe(3)
    expect(row("complaints", [...said, says("Good. Now the footer.")])).toBe(0)
  })
})
