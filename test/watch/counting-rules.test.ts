import { describe, expect, it } from "vitest"
import { correctionWeight, type SessionEvent } from "../../src/watch/counting-rules.ts"
import { type SessionMetrics, type Streak, streakLength } from "../../src/watch/session-metrics.ts"
import { T0, uuid } from "../support/records.ts"
import { aCall, metricsAfter } from "../support/session-metrics.ts"

const read = (filePath: string) => aCall({ args: { filePath } })
const reads = (count: number) => Array.from({ length: count }, (_, n) => read(`${n}`))
const failing = (more: Parameters<typeof aCall>[0] = {}) => aCall({ tool: "edit", ok: false, ...more })
const step = (name: string) => Array.from({ length: 10 }, () => failing({ step: name }))
const written = aCall({ tool: "write", use: "write" })
const check = (said: string, check: "passed" | "failed" | "unknown" = "failed") =>
  aCall({ tool: "bash", use: "run", check, ok: check !== "failed", said })
const update = (content: string) =>
  aCall({ tool: "hivemind_session", use: "governance", args: { action: "update", level: "tactic", content } })
const complete = aCall({ tool: "hivemind_task", use: "governance", args: { action: "complete" } })
const loose = aCall({ use: "write", task: null })
const said = (description: string) => aCall({ tool: "bash", use: "run", args: { command: "x", description } })
const look = (text: string) => aCall({ tool: "bash", args: { command: "gh run view" }, said: text })
const edit = (oldString: string, newString: string, filePath = "a.ts") =>
  aCall({ tool: "edit", use: "write", args: { filePath, oldString, newString } })
const write = (content: string) => aCall({ tool: "write", use: "write", args: { filePath: "a.ts", content } })
const message = (text: string, task = 1): SessionEvent => ({
  ...{ what: "user message", taskId: uuid(task), text },
})
const cancelled = { what: "cancelled turn", said: "" } as const
const good = { what: "good turn", said: "Done." } as const
const twoFailed = [failing(), failing()]
const failedChecks = [written, check("a"), written, check("a")]
const stops = ["one", "two", "three"].flatMap((text) => [message(text), cancelled])
const stuck = [said("Let me try again"), said("I am stuck here"), said("The same error again")]
const annotate = [edit("A", "A // ok"), edit("B", "B // ok"), edit("C", "C // ok")]
const toAndFro = [edit("A", "B"), edit("B", "A")]
const circling = [
  update("Fix the failing login test in auth"),
  read("a"),
  update("fix failing login test in the auth"),
  read("b"),
  update("Fix the failing login test, in auth again"),
]

describe("events in a row", () => {
  it.each<[Streak, string, number, SessionEvent[]]>([
    ["failed_steps", "failed calls", 3, [...twoFailed, failing({ tool: "bash" })]],
    ["failed_steps", "ended by a write", 1, [...twoFailed, written, failing()]],
    ["failed_steps", "ended by an MCP call", 0, [...twoFailed, aCall({ tool: "linear_x", use: "other" })]],
    ["failed_steps", "parallel calls of one step", 1, step("msg_1")],
    ["failed_steps", "parallel calls of two steps", 2, [...step("msg_1"), ...step("msg_2")]],
    [
      "failed_steps",
      "with a few reads between",
      3,
      [failing(), ...reads(1), failing(), ...reads(3), failing()],
    ],
    ["failed_steps", "ended by many reads", 1, [failing(), ...reads(4), failing()]],
    ["failed_checks", "the same error", 2, [written, check("a (12 ms)"), written, check("a (7 ms)")]],
    ["failed_checks", "the same lines", 2, [written, check("a\nb"), written, check("b\na")]],
    ["failed_checks", "another error", 1.5, [written, check("41 errors"), written, check("30 errors")]],
    ["failed_checks", "only after an edit", 1, [check("a"), check("a"), written, check("a")]],
    ["failed_checks", "an unknown result", 2, [...failedChecks, check("", "unknown")]],
    ["failed_checks", "ended by a passed one", 0, [...failedChecks, check("", "passed")]],
    ["cancels", "stopped turns", 3, stops],
    ["cancels", "ended by a good turn", 0, [...stops, good]],
    ["cancels", "after a good turn", 1, [...stops, good, message("three"), cancelled]],
    [
      "cancels",
      "sent again",
      1,
      [message("fix the tests"), cancelled, message("fix the new tests"), cancelled],
    ],
    ["cancels", "ended by 'continue'", 0, [...stops, message("please continue, but mind the types")]],
    ["cancels", "other words", 3, [...stops, message("use the other one")]],
    ["reads", "reads and searches", 3, [read("a"), aCall({ tool: "grep", use: "query" }), read("b")]],
    ["reads", "not ended by a command", 2, [...reads(2), aCall({ use: "run" })]],
    ["reads", "ended by a write", 0, [...reads(2), aCall({ use: "write" })]],
    ["reads", "ended by a message", 0, [...reads(2), message("And now?")]],
    ["writes_without_task", "writes", 2, [loose, loose]],
    ["writes_without_task", "ended by a write with a task", 0, [loose, loose, aCall({ use: "write" })]],
    ["same_calls", "the same call", 3, [read("a"), read("a"), read("a")]],
    ["same_calls", "ended by another call", 1, [read("a"), failing(), read("a")]],
    ["same_calls", "ended by another result", 1, [look("1 of 3"), look("2 of 3"), look("3 of 3")]],
    ["same_updates", "similar words, also with other calls between", 3, circling],
    ["same_updates", "ended by other words", 1, [...circling, update("Write the release notes")]],
    [
      "same_updates",
      "ended by the task tool",
      1,
      [update("Fix it"), update("Fix it"), complete, update("Fix it")],
    ],
    ["rewrites", "one step back is none", 0, toAndFro],
    ["rewrites", "edits that were made before", 2, [...toAndFro, ...toAndFro]],
    ["rewrites", "back by another way is none", 0, [edit("A", "B"), edit("B", "C"), edit("C", "A")]],
    ["rewrites", "another file", 0, [edit("A", "B"), edit("A", "B", "b.ts"), edit("B", "C", "b.ts")]],
    ["rewrites", "what something else undoes", 3, [...annotate, ...annotate]],
    ["rewrites", "the same edit again and again", 2, [edit("A", "B"), edit("A", "B"), edit("A", "B")]],
    ["rewrites", "ended by another edit", 0, [...annotate, ...annotate, edit("C", "D")]],
    ["rewrites", "whole files written as before", 2, [write("A"), write("B"), write("A"), write("B")]],
    ["rewrites", "a file written twice is none", 0, [write("A"), write("A")]],
    ["rewrites", "ended by a message", 0, [...toAndFro, message("Now the first one again."), edit("A", "B")]],
    ["stuck_words", "phrases", 3, stuck],
    ["stuck_words", "ended by a message", 0, [...stuck, message("Go on.")]],
    ["stuck_words", "single words are none", 0, [said("Run the retry tests"), said("Add a loop over users")]],
    ["turns_on_task", "messages on one task", 3, [message("a"), message("b"), message("c")]],
    ["turns_on_task", "ended by another task", 1, [message("a"), message("b"), message("c", 2)]],
  ])("%s, %s: %d", (name, _, length, events) => {
    expect(streakLength(metricsAfter(events), name)).toBe(length)
  })

  it.each(["hive-investigator", "hive-coordinator", "plan", "explore"])(
    "does not count reads of %s",
    (agent) => {
      expect(streakLength(metricsAfter([aCall({ agent })]), "reads")).toBe(0)
    },
  )
})

it("counts every failed call, also those of one step, and after the streak has ended", () => {
  expect(metricsAfter([...step("msg_1"), written]).counts).toMatchObject({ tool_failures: 10 })
})

describe("corrections", () => {
  const recent = (events: SessionEvent[]) => metricsAfter(events).registers["recent_messages"]
  const wrong = message("No, that is wrong.")
  const rejected = (words: string): SessionEvent => ({ what: "rejected call", words })
  const asked = { what: "good turn", said: "All green. Shall I commit?" } as const
  const talk = (...texts: string[]) => texts.flatMap((text) => [message(text), good])
  const many = Array.from({ length: 14 }, (_, n) => `Step ${n}`)

  it.each<[string, string | undefined, SessionEvent[]]>([
    [
      "among the last messages",
      ".c.C",
      talk("Add a test.", "No, that is wrong.", "Docs too.", "It still fails."),
    ],
    ["only the last ones", ".".repeat(14), talk("No, that is wrong.", ...many)],
    ["words of a rejected call", "c.", [rejected("put it elsewhere"), good, rejected("why?"), rejected("")]],
    ["stopped", "c", [message("remove the tests again"), cancelled]],
    ["each answered one", "cc", [wrong, good, wrong]],
    ["one within seconds", "c", [wrong, rejected("let's discuss first")]],
    ["one with more words", "c", [wrong, message("see the log")]],
    ["one with the larger weight", "C", [wrong, message("it still fails")]],
    [
      "none once the user is content",
      undefined,
      talk("No, that is wrong.", "It still fails.", "great, thanks"),
    ],
    ["only those since", ".", talk("No, that is wrong.", "great, thanks", "Add a test.")],
    ["no answer to a question", ".", [asked, message("no, leave it")]],
    ["an answer that corrects", "c", [asked, message("no, that is wrong")]],
    ["an earlier question", ".c", [asked, message("later"), good, message("no, leave it")]],
  ])("are counted: %s", (_, letters, events) => {
    expect(recent(events)).toBe(letters)
  })

  it("sent again in other words count once, and later ones apart", () => {
    const stopped = metricsAfter([message("remove the tests again"), cancelled])
    const again = metricsAfter([message("remove the useless tests again")], stopped, T0 + 60_000)
    expect(again.registers).toMatchObject({ recent_messages: "c" })
    const later = metricsAfter([rejected("put it elsewhere")], metricsAfter([wrong]), T0 + 15_000)
    expect(later.registers).toMatchObject({ recent_messages: "cc" })
  })

  it('weigh more with "still wrong"', () => {
    expect([correctionWeight(".c.c"), correctionWeight("C."), correctionWeight("")]).toEqual([2, 2, 0])
  })
})

it("calls per minute are those of this minute and the one before; a minute in the future is ignored", () => {
  const first = metricsAfter(reads(30))
  expect(first.registers).toMatchObject({ minute_began: T0, calls_before_minute: 0 })
  const second = metricsAfter(reads(2), first, T0 + 65_000)
  expect(second.registers).toMatchObject({ calls_last_minute: 30, calls_before_minute: 30 })
  expect(metricsAfter(reads(1), second, T0 + 300_000).registers).toMatchObject({ calls_last_minute: 0 })
  const ahead: SessionMetrics = { counts: {}, registers: { minute_began: T0 + 9_999_000 } }
  expect(metricsAfter(reads(1), ahead).registers).toMatchObject({ minute_began: T0 })
})
