import { describe, expect, it } from "vitest"
import { scorePrompt, unmetItems } from "../../../src/context/inject/decide.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import { countTokens } from "../../../src/shared/text/tokens.ts"
import { memoryHive } from "../../support/hive.ts"
import { tempProject } from "../../support/temp-project.ts"
import { atWork, conversation, injectorIn, userMessage } from "../at-work.ts"

describe("keyframes and deltas", () => {
  it("the first message carries the whole state, the next nothing, then only changes", () => {
    const talk = conversation()
    expect(talk.say()).toMatchObject({ kind: "keyframe", reason: "the first message of the session" })
    expect(talk.say()).toMatchObject({ kind: "none", reason: "nothing changed" })
    talk.g.mem("A new fact", { origin_task_id: talk.task.id })
    const delta = talk.say()
    expect(delta.kind).toBe("delta")
    expect(delta.parts[0]).toContain("A new fact")
    expect(delta.parts[0]).not.toContain("Build the form")
    expect(talk.say().kind).toBe("none")
  })

  it("sends a new keyframe when a compaction has removed the last one", () => {
    const talk = conversation()
    talk.say()
    talk.g.mem("A fact", { origin_task_id: talk.task.id })
    talk.say()
    for (const all of [1, 2]) {
      talk.forget(all)
      expect(talk.say()).toMatchObject({
        kind: "keyframe",
        reason: "the model no longer sees the last full state",
      })
    }
  })

  it("a new keyframe comes when the deltas outweigh the last one, and the conversation outweighs both by far", () => {
    const talk = conversation()
    const first = talk.say()
    let deltas = 0
    for (let n = 0; n < 50; n++) {
      talk.g.mem(`Fact number ${n}`, { origin_task_id: talk.task.id })
      const injection = talk.say()
      expect(injection.kind).toBe("delta")
      deltas += injection.tokens
    }
    expect(deltas).toBeGreaterThan(first.tokens)
    talk.talkOn(20 * deltas)
    expect(talk.say().kind).toBe("none")
    talk.talkOn(30 * deltas)
    const again = talk.say()
    expect(again).toMatchObject({ kind: "keyframe", reason: expect.stringContaining("larger than") })
    expect(again.repeated).toBeGreaterThan(again.tokens / 2)
    expect(talk.say().kind).toBe("none")
  })

  it("keeps all parts together within the budget", () => {
    const talk = conversation()
    for (let n = 0; n < 60; n++)
      talk.g.mem(`Fact ${n} ${"and more ".repeat(60)}`, { origin_task_id: talk.task.id })
    const { parts, tokens } = talk.say("go on")
    expect(parts.length).toBeGreaterThan(1)
    expect(tokens).toBe(parts.reduce((sum, part) => sum + countTokens(part), 0))
    expect(tokens).toBeLessThanOrEqual(3000)
  })
})

describe("before you stop", () => {
  const reminder = (injection: Injection) =>
    injection.parts.find((part) => part.startsWith("<before_you_stop>")) ?? ""

  it("is not repeated in a short conversation, but after it has gone out of sight", () => {
    const talk = conversation()
    expect(reminder(talk.say())).toContain("no evidence yet")
    talk.talkOn(500)
    expect(reminder(talk.say())).toBe("")
    talk.forget(2)
    expect(reminder(talk.say())).toContain("no evidence yet")
  })

  it("asks for a test run, and suggests the session's stamp for the commit", () => {
    const { g, head, task } = atWork()
    g.checkpoint(task, { files: ["a"] })
    expect(unmetItems(g.state, head, 2, undefined).join()).toContain("1 changed file(s) without a test run")
    g.checkpoint(task, { files: ["a", "b"], command: "npm test", did: ["test"] })
    const unmet = (stamp?: string) => unmetItems(g.state, head, 2, stamp).join()
    expect(unmet("301411022026-2")).toContain(
      "2 files changed since the last commit; put [301411022026-2] in the message<",
    )
    expect(unmet()).toContain("since the last commit<")
  })

  it("judges a command by what it did, not by its text", () => {
    const { g, head, task } = atWork({ verify: "node prove.js" })
    g.checkpoint(task, { files: ["test/form.ts"], command: "echo 'git commit' > test/form.ts" })
    expect(unmetItems(g.state, head, 1, undefined)).toHaveLength(2)
    g.checkpoint(task, { command: "node prove.js && git -C . commit -am x", did: ["verify", "commit"] })
    expect(unmetItems(g.state, head, 1, undefined)).toEqual([])
  })
})

it("prompt scoring: long prompts add up, decay, and bring the whole state back at the threshold", () => {
  const long = "word ".repeat(70)
  const talk = conversation()
  expect(talk.say(long)).toMatchObject({ kind: "keyframe", score: 40 })
  expect(talk.say(long)).toMatchObject({ score: 76 })
  expect(talk.say(long)).toMatchObject({ kind: "none", score: 100 })
  talk.talkOn(20_000)
  expect(talk.say(long)).toMatchObject({ kind: "keyframe", reason: "long prompts have added up", score: 0 })
  expect(scorePrompt("go on", 90)).toEqual({ isShort: true, score: 81, needsKeyframe: false })
  expect(scorePrompt("word ".repeat(25), 90)).toEqual({ isShort: false, score: 81, needsKeyframe: false })
})

it("a hint stands in one message only", async () => {
  const home = await tempProject()
  const hive = { ...memoryHive(), home, dir: home }
  const injector = injectorIn(home)
  injector.hintAt("ses_1", "The user may mean another task")
  const sent = [userMessage("msg_1"), userMessage("msg_2")]
  const first = injector.inject(hive, "ses_1", sent.slice(0, 1), undefined)
  const both = injector.inject(hive, "ses_1", sent, undefined)
  expect(first.parts.get("msg_1")?.join()).toContain("another task")
  expect(both.parts.get("msg_2")?.join()).not.toContain("another task")
})
