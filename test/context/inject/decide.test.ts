import { describe, expect, it } from "vitest"
import { decideInjection, scorePrompt } from "../../../src/context/inject/decide.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { countTokens } from "../../../src/shared/text/tokens.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

/** A conversation over a graph: `say` decides what the next message carries, given the messages still in sight. */
function conversation() {
  const g = graphOf()
  const plan = g.plan("Login")
  const phase = g.phase(plan, "API")
  const first = g.task(phase, "Build the form", { status: "active" })
  const second = g.task(phase, "Test the form")
  let head = g.head("Add a login page", plan, phase, first)
  let count = 0
  let waited = 0
  let said = 0
  let visible: Injection[] = []
  return {
    g,
    phase,
    first,
    second,
    move: (id: string) => {
      head = { ...head, active_task_ids: [id] }
    },
    wait: (ms: number) => {
      waited += ms
    },
    /** So much was said by the user, the model and tools. */
    talkOn: (tokens: number) => {
      said += tokens
    },
    revert: (n: number) => {
      visible = visible.slice(0, -n)
    },
    forget: (from: number) => {
      visible = visible.slice(from)
    },
    say(
      text = "Please do the next thing that is on the plan, and tell me how it went, in a few words, when you are done with it.",
    ): Injection {
      const injection = decideInjection({
        state: g.state,
        head,
        message: { id: `msg_${++count}`, text },
        visible,
        isFirst: count === 1,
        score: visible.at(-1)?.score ?? 0,
        conversationTokens: said,
        options: { now: T0 + count * 1000 + waited, budget: 3000, more: "ask" },
        commitAfterFiles: 5,
      })
      visible.push(injection)
      return injection
    },
  }
}

describe("keyframes and deltas", () => {
  it("an outranked anchor is not retracted; a removed one is", () => {
    const talk = conversation()
    const old = talk.g.anchor("OLD", "still true", { priority: "low" })
    for (let n = 0; n < 29; n++) talk.g.anchor(`KEY-${n}`, "x", { priority: "high" })
    talk.say()
    talk.g.anchor("NEW", "x", { priority: "high" })
    const outranked = talk.say().parts.join()
    expect(outranked).toContain("NEW")
    expect(outranked).not.toContain("OLD")
    talk.g.state.anchor.set(old.id, { ...old, status: "removed" })
    expect(talk.say().parts.join()).toContain('<was what="anchor" key="OLD" status="gone"/>')
  })

  it("the first message carries the whole state, the next nothing, then only changes", () => {
    const talk = conversation()
    expect(talk.say()).toMatchObject({ kind: "keyframe", reason: "the first message of the session" })
    expect(talk.say()).toMatchObject({ kind: "none", reason: "nothing changed" })
    talk.g.mem("A new fact", { origin_task_id: talk.first.id })
    const delta = talk.say()
    expect(delta.kind).toBe("delta")
    expect(delta.parts[0]).toContain("A new fact")
    expect(delta.parts[0]).not.toContain("Build the form")
    expect(talk.say().kind).toBe("none")
  })

  it("a new keyframe comes when the last one is out of sight", () => {
    const talk = conversation()
    talk.say()
    talk.g.mem("A fact", { origin_task_id: talk.first.id })
    talk.say()
    for (const all of [1, 2]) {
      talk.forget(all)
      expect(talk.say()).toMatchObject({ kind: "keyframe", reason: "the last full state is out of sight" })
    }
  })

  it("a new keyframe comes when the deltas outweigh the last one, and the conversation outweighs both by far", () => {
    const talk = conversation()
    const first = talk.say()
    let deltas = 0
    for (let n = 0; n < 50; n++) {
      talk.g.mem(`Fact number ${n}`, { origin_task_id: talk.first.id })
      const injection = talk.say()
      expect(injection.kind).toBe("delta")
      deltas += injection.tokens
    }
    expect(deltas).toBeGreaterThan(first.tokens)
    talk.talkOn(20 * deltas)
    expect(talk.say().kind).toBe("none")
    talk.talkOn(30 * deltas)
    const again = talk.say()
    expect(again).toMatchObject({ kind: "keyframe", reason: expect.stringContaining("outweigh") })
    expect(again.repeated).toBeGreaterThan(again.tokens / 2)
    expect(talk.say().kind).toBe("none")
  })

  it("retracts a finished task and a mem that turned out false", () => {
    const talk = conversation()
    const mem = talk.g.mem("Use passport", { origin_task_id: talk.first.id })
    talk.say()
    talk.g.state.task.set(talk.first.id, { ...talk.first, status: "completed" })
    talk.g.state.task.set(talk.second.id, { ...talk.second, status: "active" })
    talk.move(talk.second.id)
    talk.g.state.mem.set(mem.id, { ...mem, kind: "false_path", reason: "it needs sessions" })
    const [text = ""] = talk.say().parts
    expect(text).toMatch(/<was what="task" id="\w+" status="completed"\/>/)
    expect(text).toMatch(/<task id="\w+" status="active">Test the form/)
    expect(text).toMatch(/<was what="mem" id="\w+" status="gone"\/>/)
    expect(text).toMatch(/<avoid id="\w+">Use passport — failed: it needs sessions<\/avoid>/)
  })

  it("a hidden task with a new title or assignee is mentioned once, in its new words", () => {
    const talk = conversation()
    const failed = talk.g.task(talk.phase, "Try passport", { status: "failed", reason: "it needs sessions" })
    talk.say()
    talk.move(talk.second.id)
    for (let n = 0; n < 15; n++) {
      talk.g.task(talk.phase, `Failed ${n}`, { status: "failed" })
      talk.g.task(talk.phase, `First of all ${n}`, { created_at: talk.g.at(-1) })
    }
    expect(talk.say().parts.join()).toContain(
      `<was what="task" id="${shortId(talk.first.id)}" status="active"/>`,
    )
    talk.g.state.task.set(failed.id, { ...failed, title: "Try passport 2" })
    talk.g.state.task.set(talk.first.id, {
      ...talk.first,
      title: "Build both forms",
      assigned_to: "hive-executor",
    })
    const [told = ""] = talk.say().parts
    expect(told.split("\n").slice(1, -1)).toEqual([
      `<was what="failed" id="${shortId(failed.id)}" status="failed">Try passport 2 — it needs sessions</was>`,
      expect.stringContaining(
        `<was what="task" id="${shortId(talk.first.id)}" status="active" to="hive-executor"`,
      ),
    ])
    expect(told).toContain(">Build both forms — expected: ")
    expect(talk.say().kind).toBe("none")
  })

  it("keeps all parts together within the budget", () => {
    const talk = conversation()
    for (let n = 0; n < 60; n++)
      talk.g.mem(`Fact ${n} ${"and more ".repeat(60)}`, { origin_task_id: talk.first.id })
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
})

describe("prompt scoring", () => {
  it("a short prompt gets a line on where the session is, a long one does not", () => {
    const talk = conversation()
    talk.say()
    talk.talkOn(5000)
    expect(talk.say("go on").parts.join()).toMatch(
      /<flow task="\w+" status="active">Login › API › Build the form<\/flow>/,
    )
    expect(talk.say().parts.join()).not.toContain("<flow")
  })

  it("long prompts add up, decay, and bring the whole state back at the threshold", () => {
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
})
