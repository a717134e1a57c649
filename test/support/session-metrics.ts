import { readCall } from "../../src/hosts/opencode/calls.ts"
import { type ObservedCall, observe, type SessionEvent } from "../../src/watch/counting-rules.ts"
import {
  draftMetrics,
  type SessionMetrics,
  type Streak,
  streakStart,
} from "../../src/watch/session-metrics.ts"
import { T0 } from "./records.ts"

export function aCall({
  tool = "read",
  args = {},
  agent = "build",
  ...more
}: Partial<ObservedCall> & { tool?: string; args?: object; agent?: string } = {}): SessionEvent {
  const call = readCall({ id: "call_1", session: "ses_1", agent, tool, args })
  const { use, signature, prose, own, isReader, edits } = call
  const ended = { step: null, check: null, said: "ok", ok: true, task: "Build login" }
  return { what: "call", use, signature, prose, own, isReader, edits, ...ended, ...more }
}

export const NO_METRICS: SessionMetrics = { counts: {}, registers: {} }

export function metricsAfter(
  events: readonly SessionEvent[],
  before: SessionMetrics = NO_METRICS,
  from = T0,
): SessionMetrics {
  return events.reduce((metrics, event, n) => {
    const draft = draftMetrics(metrics)
    observe(draft, event, from + n * 1000)
    return draft.metrics
  }, before)
}

export function inARow(lengths: Partial<Record<Streak, number>>): SessionMetrics {
  const starts = Object.keys(lengths).map((streak) => [streakStart(streak as Streak), 0])
  return { counts: lengths, registers: Object.fromEntries(starts) }
}
