import { numberIn } from "../graph/metrics.ts"
import { fingerprint, signatureKey } from "./fingerprint.ts"
import type { MetricsDraft } from "./metrics-draft.ts"
import type { ObservedCall } from "./observed-call.ts"
import { rowLength } from "./session-metrics.ts"

/** Failures in a row, and fixes that did not help. */
export function observeFailures(draft: MetricsDraft, call: ObservedCall): void {
  observeRow(draft, call)
  observeFixes(draft, call)
}

/** A look at something does not end a row of failures, but a few of them do: the agent has turned to something else. */
function observeRow(draft: MetricsDraft, { ok, use }: ObservedCall): void {
  if (!ok) {
    draft.extendRow("tool_failures")
    draft.set("calm_calls", null)
    return
  }
  if (rowLength(draft.metrics, "tool_failures") === 0) return
  const calm = numberIn(draft.metrics.registers, "calm_calls") + 1
  const hasDone = use === "write" || use === "run" || use === "delegate"
  if (hasDone || calm >= CALM_CALLS) draft.endRow("tool_failures")
  draft.set("calm_calls", hasDone || calm >= CALM_CALLS ? null : calm)
}

/**
 * A command that fails after a write: what was written has not helped. With the error of last time it counts whole, with
 * another one half: errors that change are a way forward, though not for ever. It ends when a check passes, or the very
 * command that failed.
 */
function observeFixes(draft: MetricsDraft, { ok, use, command, signature, said }: ObservedCall): void {
  const { registers } = draft.metrics
  if (command === null || use === "read") {
    if (ok && use === "write") draft.set("has_written", 1)
    return
  }
  const failing = signatureKey(signature)
  if (ok) {
    if (command !== "check" && registers["failing_command"] !== failing) {
      if (use === "write") draft.set("has_written", 1)
      return
    }
    draft.endRow("failed_fixes")
    for (const name of ["failing_command", "last_error", "has_written"]) draft.set(name, null)
    return
  }
  const error = fingerprint(withoutTimes(said))
  if (registers["has_written"] === 1) {
    const isSame = (registers["last_error"] ?? error) === error
    draft.extendRow("failed_fixes", isSame ? 1 : 0.5)
  }
  draft.set("failing_command", failing)
  draft.set("last_error", error)
  draft.set("has_written", null)
}

/** How long it took, and when it was, differ each time. */
function withoutTimes(said: string): string {
  return said
    .slice(-MAX_CHARS)
    .replace(/\d+([.:,]\d+)*\s*(ms|s|secs?|seconds|m|min|minutes)\b/g, "")
    .replace(/\d{1,4}([-:]\d{2}){2}[\w.:]*/g, "")
}

const CALM_CALLS = 4
const MAX_CHARS = 4000
