import { describe, expect, it } from "vitest"
import { decideInjection } from "../../../src/context/inject/decide.ts"
import { packedWarnings } from "../../../src/context/inject/packed-warnings.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"
import { inARow } from "../../support/session-metrics.ts"

const MINUTE = 60_000
const fromThree = { ...defaultConfig, detection: { ...defaultConfig.detection, failures: 3 } }

/** A conversation in which failures come and go; `say` is the next message, a minute later. */
function conversation(config = fromThree) {
  const g = graphOf()
  const plan = g.plan("Login")
  const phase = g.phase(plan, "API")
  const head = g.head("Add a login page", plan, phase, g.task(phase, "Build the form", { status: "active" }))
  let visible: Injection[] = []
  let now = T0
  return {
    failures: (tool_failures: number) =>
      g.state.metrics.set("ses_1", {
        id: "ses_1",
        compactions: 0,
        ...inARow({ failed_steps: tool_failures }),
      }),
    forget: () => {
      visible = []
    },
    say(): string {
      now += MINUTE
      const reading = { state: g.state, problems: [] }
      const injection = decideInjection({
        state: g.state,
        head,
        message: { id: `msg_${now}`, text: "word ".repeat(25) },
        visible,
        isFirst: visible.length === 0,
        score: 0,
        conversationTokens: 0,
        options: { now, budget: 3000, warnings: packedWarnings({ config }, reading, "ses_1", visible, now) },
        commitAfterFiles: 5,
      })
      visible.push(injection)
      return injection.parts.find((part) => part.startsWith("<hivemind")) ?? ""
    },
  }
}

const MEDIUM = '<warning id="failures" severity="medium">3+ tool failures'
const HIGH = '<warning id="failures" severity="high">6+ tool failures'
const GONE = '<was what="warning" id="failures" status="gone"/>'

describe("warnings in the messages", () => {
  it("are shown once while the pattern goes on, again when it is worse or eases, and taken back when it ends", () => {
    const talk = conversation()
    talk.say()
    talk.failures(3)
    expect(talk.say()).toContain(MEDIUM)
    talk.failures(5)
    expect(talk.say()).toBe("")
    talk.failures(6)
    expect(talk.say()).toContain(HIGH)
    talk.failures(4)
    expect(talk.say()).toContain(MEDIUM)
    expect(talk.say()).toBe("")
    talk.failures(0)
    expect(talk.say()).toContain(GONE)
    expect(talk.say()).toBe("")
  })

  it("are said again in a full state after the conversation was compacted", () => {
    const talk = conversation()
    talk.failures(3)
    talk.say()
    talk.forget()
    expect(talk.say()).toContain(MEDIUM)
  })

  it("are off with governance off, except for the quarantine", () => {
    const off = { ...defaultConfig, governance: "off" as const }
    const talk = conversation(off)
    talk.failures(9)
    expect(talk.say()).not.toContain("failures")
    const problem = {
      code: "broken_file",
      level: "quarantined",
      file: "graph/parts/mems.0001.000001-abcd.json",
      kind: null,
      id: null,
      reason: "x",
      raw: null,
    } as const
    const reading = { state: graphOf().state, problems: [problem] }
    expect(packedWarnings({ config: off }, reading, "ses_1", [], T0)).toMatchObject([{ id: "quarantine" }])
  })
})
