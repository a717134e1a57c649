import { describe, expect, it } from "vitest"
import { packedWarnings } from "../../../src/context/inject/packed-warnings.ts"
import { emptyState } from "../../../src/graph/state.ts"
import { defaultConfig } from "../../../src/schemas/config.ts"
import { T0 } from "../../support/records.ts"
import { inARow } from "../../support/session-metrics.ts"
import { conversation } from "../at-work.ts"

const fromThree = { ...defaultConfig, detection: { ...defaultConfig.detection, failures: 3 } }

function failing(config = fromThree) {
  const { g, say, forget } = conversation((state, visible, now) =>
    packedWarnings({ config }, { state, problems: [] }, "ses_1", visible, now),
  )
  return {
    forget: () => forget(1),
    failures: (failed_steps: number) =>
      g.state.metrics.set("ses_1", { id: "ses_1", compactions: 0, ...inARow({ failed_steps }) }),
    say: () => say().parts.find((part) => part.startsWith("<hivemind")) ?? "",
  }
}

const MEDIUM = '<warning id="failures" severity="medium">3+ tool failures'
const HIGH = '<warning id="failures" severity="high">6+ tool failures'
const GONE = '<was what="warning" id="failures" status="gone"/>'

describe("warnings in the messages", () => {
  it("are shown once per pattern, again when it gets worse or better, and retracted when it ends", () => {
    const talk = failing()
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

  it("are shown again in a full state after a compaction", () => {
    const talk = failing()
    talk.failures(3)
    talk.say()
    talk.forget()
    expect(talk.say()).toContain(MEDIUM)
  })

  it("are off with governance off, except for the quarantine", () => {
    const off = { ...defaultConfig, governance: "off" as const }
    const talk = failing(off)
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
    const reading = { state: emptyState(), problems: [problem] }
    expect(packedWarnings({ config: off }, reading, "ses_1", [], T0)).toMatchObject([{ id: "quarantine" }])
  })
})
