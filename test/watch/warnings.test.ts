import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { warningElement } from "../../src/context/pack/record-items.ts"
import type { Registers } from "../../src/graph/metrics.ts"
import { emptyState } from "../../src/graph/state.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { type SignalName, signalNames } from "../../src/schemas/signals.ts"
import { countTokens } from "../../src/shared/text/tokens.ts"
import type { SessionMetrics } from "../../src/watch/session-metrics.ts"
import { type Severity, signalRules, warningOf } from "../../src/watch/signals.ts"
import {
  acknowledgedSeverity,
  type ShownWarning,
  shownAt,
  urgentWarnings,
  warningsToShow,
} from "../../src/watch/warnings.ts"
import { T0 } from "../support/records.ts"
import { inARow } from "../support/session-metrics.ts"

const MINUTE = 60_000
const detection = { ...defaultConfig.detection, failures: 3, writes_without_task: 3 }
const place = { state: emptyState(), session: "ses_1", now: T0, detection }
const watched = (metrics: SessionMetrics) => ({ ...place, metrics })
const NOTHING = { since: T0 - 60 * MINUTE, last: () => undefined }
const warned = (name: SignalName, severity: Severity) => ({
  since: T0 - 600 * MINUTE,
  last: (asked: SignalName) => (asked === name ? { at: T0 - 5 * MINUTE, severity } : undefined),
})
const shown = (metrics: SessionMetrics, visible: Parameters<typeof warningsToShow>[1]) =>
  warningsToShow(watched(metrics), visible).map(({ id, severity }) => `${id} ${severity}`)

// Thresholds: 3 failures in a row are medium, 6 are high.
const few = inARow({ failed_steps: 3 })
const many = inARow({ failed_steps: 6 })
const noting = (metrics: SessionMetrics, registers: Registers): SessionMetrics => ({
  ...metrics,
  registers: { ...metrics.registers, ...registers },
})
const shownAgo = (metrics: SessionMetrics, seconds: number) =>
  noting(metrics, { [shownAt("failures")]: T0 - seconds * 1000 })
const acknowledged = (metrics: SessionMetrics, severity: Severity) =>
  noting(metrics, { [acknowledgedSeverity("failures")]: severity })

const all = signalNames.flatMap((name) => {
  const { severity } = signalRules[name]
  const worse = severity === "medium" ? [{ name, severity: "high" as const }] : []
  return [{ name, severity }, ...worse]
})

it.each(all)("the wording: of $name, $severity, is whole within 40 tokens", ({ name, severity }) => {
  const warning = warningOf(name, severity, detection)
  const xml = warningElement(warning)
  expect(countTokens(xml)).toBeLessThanOrEqual(40)
  expect(Math.max(cl100k(xml).length, o200k(xml).length)).toBeLessThanOrEqual(40)
  expect(xml).toContain(warning.text)
})

describe("in the packed state", () => {
  it("shows signals, most severe first", () => {
    const rows = inARow({ failed_steps: 3, same_calls: 6 })
    expect(shown(rows, NOTHING)).toEqual(["same_calls high", "failures medium"])
  })

  it("does not show status-only signals", () => {
    const rows = inARow({ reads: 500, writes_without_task: 50, stuck_words: 50, failed_steps: 3 })
    expect(shown(rows, NOTHING)).toEqual(["failures medium"])
  })

  it("one shown in mid-turn is not repeated within the cooldown, unless a compaction has removed it", () => {
    const inTurn = shownAgo(many, 60)
    expect(shown(inTurn, NOTHING)).toEqual([])
    expect(shown(inTurn, warned("failures", "medium"))).toEqual(["failures high"])
    expect(shown(shownAgo(many, 1801), NOTHING)).toEqual(["failures high"])
    expect(shown(inTurn, { ...NOTHING, since: T0 - 30_000 })).toEqual(["failures high"])
  })

  it("an acknowledged one is hidden until it gets worse", () => {
    expect(shown(acknowledged(few, "medium"), NOTHING)).toEqual([])
    expect(shown(acknowledged(many, "medium"), NOTHING)).toEqual(["failures high"])
  })
})

describe("in mid-turn", () => {
  const urgent = (metrics: SessionMetrics, last?: ShownWarning) =>
    urgentWarnings(watched(metrics), () => last).map(({ id }) => id)

  it("shows only severe ones, once per cooldown", () => {
    expect(urgent(inARow({ failed_steps: 3, same_calls: 4, reads: 500 }))).toEqual([])
    expect(urgent(many)).toEqual(["failures"])
    expect(urgent(shownAgo(many, 60))).toEqual([])
    expect(urgent(shownAgo(many, 1800))).toEqual(["failures"])
    expect(urgent(shownAgo(many, -60)), "a time to come").toEqual(["failures"])
  })

  it("repeats a warning of the message only if it was less severe there", () => {
    expect(urgent(many, { at: T0 - MINUTE, severity: "high" })).toEqual([])
    expect(urgent(many, { at: T0 - 31 * MINUTE, severity: "high" })).toEqual(["failures"])
    expect(urgent(many, { at: T0 - MINUTE, severity: "medium" })).toEqual(["failures"])
  })

  it("does not show acknowledged ones", () => {
    expect(urgent(acknowledged(many, "high"))).toEqual([])
    expect(urgent(acknowledged(many, "medium"))).toEqual(["failures"])
  })

  it("a cooldown of 0 does not repeat it with every call", () => {
    const now = watched(shownAgo(many, 30))
    const none = { ...now, detection: { ...detection, cooldown_minutes: 0 } }
    expect(urgentWarnings(none, () => undefined)).toEqual([])
  })
})
