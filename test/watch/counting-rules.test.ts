import { describe, expect, it } from "vitest"
import { correctionWeight, type SessionEvent } from "../../src/watch/counting-rules.ts"
import { type SessionMetrics, type Streak, streakLength } from "../../src/watch/session-metrics.ts"
import { T0, uuid } from "../support/records.ts"
import { aCall, metricsAfter } from "../support/session-metrics.ts"

const read = (filePath: string) => aCall({ args: { filePath } })

const failing = (more: Parameters<typeof aCall>[0] = {}) => aCall({ tool: "edit", ok: false, ...more })

const update = (content: string) =>
  aCall({ tool: "hivemind_session", use: "governance", args: { action: "update", level: "tactic", content } })

const message = (text: string, task: number | null = 1): SessionEvent => ({
  what: "user message",
  taskId: task === null ? null : uuid(task),
  text,
})

const cancelled = { what: "cancelled turn", said: "" } as const

const good = { what: "good turn", said: "Done." } as const

const row = (name: Streak, ...args: Parameters<typeof metricsAfter>) =>
  streakLength(metricsAfter(...args), name)

const recent = (events: SessionEvent[]) => metricsAfter(events).registers["recent_messages"]

describe("failures", () => {
  const written = aCall({ tool: "write", use: "write" })

  it("count in a row and end with a successful write", () => {
    const metrics = metricsAfter([failing(), failing(), failing({ tool: "bash" })])
    expect(streakLength(metrics, "failed_steps")).toBe(3)
    expect(row("failed_steps", [written], metrics)).toBe(0)
    expect(row("failed_steps", [written, failing()], metrics)).toBe(1)
    expect(metricsAfter([written], metrics).counts).toMatchObject({ tool_failures: 3 })
  })

  it("end with a successful MCP call", () => {
    const mcp = aCall({ tool: "linear_create_issue", use: "other" })
    expect(row("failed_steps", [failing(), failing(), mcp])).toBe(0)
  })

  it("of one parallel step count once", () => {
    const step = (name: string) => Array.from({ length: 10 }, () => failing({ step: name }))
    expect(row("failed_steps", step("msg_1"))).toBe(1)
    expect(row("failed_steps", [...step("msg_1"), ...step("msg_2")])).toBe(2)
    expect(metricsAfter(step("msg_1")).counts).toMatchObject({ tool_failures: 10 })
  })

  it("continue across a few reads, not across many", () => {
    const look = (count: number) => Array.from({ length: count }, (_, n) => read(`${n}`))
    expect(row("failed_steps", [failing(), ...look(1), failing(), ...look(3), failing()])).toBe(3)
    expect(row("failed_steps", [failing(), ...look(4), failing()])).toBe(1)
  })
})

describe("checks that fail after an edit", () => {
  const edit = aCall({ tool: "edit", use: "write" })
  const check = (said: string, check: "passed" | "failed" | "unknown" = "failed") =>
    aCall({ tool: "bash", use: "run", check, ok: check !== "failed", said })

  it("count 1 with the same error and 0.5 with another one", () => {
    expect(row("failed_checks", [edit, check("a (12 ms)"), edit, check("a (7 ms)")])).toBe(2)
    expect(row("failed_checks", [edit, check("a\nb"), edit, check("b\na")])).toBe(2)
    expect(row("failed_checks", [edit, check("41 errors"), edit, check("30 errors")])).toBe(1.5)
    expect(row("failed_checks", [check("a"), check("a"), edit, check("a")])).toBe(1)
  })

  it("end with a passed check, not with an unknown one", () => {
    const failed = [edit, check("a"), edit, check("a")]
    expect(row("failed_checks", [...failed, check("", "unknown")])).toBe(2)
    expect(row("failed_checks", [...failed, check("", "passed")])).toBe(0)
  })
})

describe("corrections", () => {
  const wrong = message("No, that is wrong.")
  const rejected = (words: string): SessionEvent => ({ what: "rejected call", words })
  /** Messages that were answered each. */
  const talk = (...texts: string[]) => texts.flatMap((text) => [message(text), good])

  it('are counted among the last messages; "still wrong" weighs more', () => {
    expect(recent(talk("Add a test.", "No, that is wrong.", "And the docs.", "It still fails."))).toBe(".c.C")
    const many = Array.from({ length: 14 }, (_, n) => `Step ${n}`)
    expect(recent(talk("No, that is wrong.", ...many))).toBe(".".repeat(14))
    expect([correctionWeight(".c.c"), correctionWeight("C."), correctionWeight("")]).toEqual([2, 2, 0])
  })

  it("include words of a rejected call", () => {
    expect(recent([rejected("put it elsewhere"), good, rejected("why?"), rejected("")])).toBe("c.")
  })

  it("stopped and sent again in other words count once", () => {
    const again = [message("remove the tests again"), cancelled, message("remove the useless tests again")]
    expect(metricsAfter(again.slice(0, 2)).registers["recent_messages"]).toBe("c")
    expect(
      metricsAfter(again.slice(2), metricsAfter(again.slice(0, 2)), T0 + 60_000).registers,
    ).toMatchObject({
      recent_messages: "c",
    })
    expect(recent([wrong, good, wrong])).toBe("cc")
  })

  it("within seconds without an answer count once, with the larger weight", () => {
    expect(recent([wrong, rejected("let's discuss first")])).toBe("c")
    expect(recent([wrong, message("see the log")])).toBe("c")
    expect(recent([wrong, message("it still fails")])).toBe("C")
    const later = metricsAfter([rejected("put it elsewhere")], metricsAfter([wrong]), T0 + 15_000)
    expect(later.registers).toMatchObject({ recent_messages: "cc" })
  })

  it("are forgotten when the user is content", () => {
    expect(recent(talk("No, that is wrong.", "It still fails.", "great, thanks"))).toBeUndefined()
    expect(recent(talk("No, that is wrong.", "great, thanks", "Add a test."))).toBe(".")
  })

  it("do not include answers to the agent's question", () => {
    const asked = { what: "good turn", said: "All green. Shall I commit?" } as const
    expect(recent([asked, message("no, leave it")])).toBe(".")
    expect(recent([asked, message("no, that is wrong")])).toBe("c")
    expect(recent([asked, message("later"), good, message("no, leave it")])).toBe(".c")
  })
})

describe("stopped turns", () => {
  const stops = ["one", "two", "three"].flatMap((text) => [message(text), cancelled])

  it("count in a row and end with a good turn", () => {
    expect(row("cancels", stops)).toBe(3)
    expect(row("cancels", [...stops, good])).toBe(0)
    expect(row("cancels", [...stops, good, message("three"), cancelled])).toBe(1)
  })

  it("of a message sent again in other words count once", () => {
    const commit = [message("commit the tests"), cancelled, message("commit the new tests"), cancelled]
    expect(row("cancels", commit)).toBe(1)
  })

  it("end when the user lets the agent go on", () => {
    expect(row("cancels", [...stops, message("please continue, but mind the types")])).toBe(0)
    expect(row("cancels", [...stops, message("use the other one")])).toBe(3)
  })
})

describe("reading", () => {
  const reads = [read("a"), aCall({ tool: "grep", use: "query" }), read("b")]

  it("counts until a write or a new message", () => {
    expect(row("reads", reads)).toBe(3)
    expect(row("reads", [...reads, aCall({ use: "run" })])).toBe(3)
    expect(row("reads", [...reads, aCall({ use: "write" })])).toBe(0)
    expect(row("reads", [...reads, message("And now?")])).toBe(0)
  })

  it.each(["hive-investigator", "hive-coordinator", "plan", "explore"])("is the work of %s", (agent) => {
    expect(row("reads", [aCall({ agent })])).toBe(0)
  })
})

describe("writes", () => {
  it("without a task count until a write with a task", () => {
    const loose = aCall({ use: "write", task: null })
    expect(row("writes_without_task", [loose, loose])).toBe(2)
    expect(row("writes_without_task", [loose, loose, aCall({ use: "write" })])).toBe(0)
  })
})

describe("repetition", () => {
  it("is the same call in a row", () => {
    expect(row("same_calls", [read("a"), read("a"), read("a")])).toBe(3)
    expect(row("same_calls", [read("a"), read("a"), read("b")])).toBe(1)
    expect(row("same_calls", [read("a"), failing(), read("a")])).toBe(1)
  })

  it("is not a call with changing results", () => {
    const look = (said: string) => aCall({ tool: "bash", args: { command: "gh run view" }, said })
    expect(row("same_calls", [look("1 of 3"), look("2 of 3"), look("3 of 3")])).toBe(1)
  })

  it("is updates in similar words, also with other calls between", () => {
    const circling = [
      update("Fix the failing login test in auth"),
      read("a"),
      update("fix failing login test in the auth"),
      read("b"),
      update("Fix the failing login test, in auth again"),
    ]
    expect(row("same_updates", circling)).toBe(3)
    expect(row("same_updates", [...circling, update("Write the release notes")])).toBe(1)
  })

  it("of updates ends with a change by the task tool", () => {
    const complete = aCall({ tool: "hivemind_task", use: "governance", args: { action: "complete" } })
    const metrics = metricsAfter([update("Fix it now"), update("Fix it now"), complete])
    expect(streakLength(metrics, "same_updates")).toBe(0)
    expect(row("same_updates", [update("Fix it now")], metrics)).toBe(1)
  })
})

describe("rewrites", () => {
  const edit = (oldString: string, newString: string, filePath = "a.ts") =>
    aCall({ tool: "edit", use: "write", args: { filePath, oldString, newString } })
  const write = (content: string) =>
    aCall({ tool: "write", use: "write", args: { filePath: "a.ts", content } })

  it("are edits in a row that were made before; one step back is not", () => {
    expect(row("rewrites", [edit("A", "B"), edit("B", "A")])).toBe(0)
    expect(row("rewrites", [edit("A", "B"), edit("B", "A"), edit("A", "B")])).toBe(1)
    expect(row("rewrites", [edit("A", "B"), edit("B", "A"), edit("A", "B"), edit("B", "A")])).toBe(2)
    expect(row("rewrites", [edit("A", "B"), edit("B", "C"), edit("C", "A")])).toBe(0)
    expect(row("rewrites", [edit("A", "B"), edit("A", "B", "b.ts"), edit("B", "C", "b.ts")])).toBe(0)
  })

  it("include edits that something else undoes, until another edit", () => {
    const annotate = [edit("A", "A // ok"), edit("B", "B // ok"), edit("C", "C // ok")]
    expect(row("rewrites", [...annotate, ...annotate])).toBe(3)
    expect(row("rewrites", [edit("A", "B"), edit("A", "B"), edit("A", "B")])).toBe(2)
    expect(row("rewrites", [...annotate, ...annotate, edit("C", "D")])).toBe(0)
  })

  it("include whole files written as before", () => {
    expect(row("rewrites", [write("A"), write("B"), write("A"), write("B")])).toBe(2)
    expect(row("rewrites", [write("A"), write("A")])).toBe(0)
  })

  it("start anew with a message", () => {
    const toAndFro = [edit("A", "B"), edit("B", "A")]
    expect(row("rewrites", [...toAndFro, message("Now the first one again."), edit("A", "B")])).toBe(0)
  })
})

it("counts phrases of being stuck within a turn, not single words", () => {
  const said = (description: string) =>
    aCall({ tool: "bash", use: "run", args: { command: "x", description } })
  const stuck = [said("Let me try again"), said("I am stuck here"), said("The same error again")]
  expect(row("stuck_words", stuck)).toBe(3)
  expect(row("stuck_words", [...stuck, message("Go on.")])).toBe(0)
  expect(row("stuck_words", [said("Run the retry tests"), said("Add a loop over all users")])).toBe(0)
})

describe("calls per minute", () => {
  const calls = (count: number) => Array.from({ length: count }, () => read("a"))

  it("count this minute and the one before", () => {
    const first = metricsAfter(calls(30))
    expect(first.registers).toMatchObject({ minute_began: T0, calls_before_minute: 0 })
    const second = metricsAfter(calls(2), first, T0 + 65_000)
    expect(second.registers).toMatchObject({ calls_last_minute: 30, calls_before_minute: 30 })
    expect(metricsAfter(calls(1), second, T0 + 300_000).registers).toMatchObject({ calls_last_minute: 0 })
  })

  it("ignore a minute in the future", () => {
    const ahead: SessionMetrics = { counts: {}, registers: { minute_began: T0 + 9_999_000 } }
    expect(metricsAfter(calls(1), ahead).registers).toMatchObject({ minute_began: T0 })
  })
})

it("counts turns on a task until the task changes", () => {
  expect(row("turns_on_task", [message("a"), message("b"), message("c")])).toBe(3)
  expect(row("turns_on_task", [message("a"), message("b"), message("c", 2)])).toBe(1)
})
