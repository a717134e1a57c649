import type { ToolUse } from "../gate/call.ts"
import { mostCancels } from "../work/session/governance.ts"
import { areAlike, fingerprint, sketchOf } from "./fingerprint.ts"
import { stuckWords } from "./keywords.ts"
import type { MetricsDraft } from "./metrics-draft.ts"
import { allCalls, callsThisMinute, recentStuckWords, rowLength, timeIn } from "./session-metrics.ts"

/** A tool call that is over. */
export interface ObservedCall {
  use: ToolUse
  /** Equal for equal calls. */
  signature: unknown
  /** What the agent says about its work in this call. */
  prose: string
  /** A tool of ours, and what it was called with. */
  own: { tool: string; args: Readonly<Record<string, unknown>> } | null
  /** The agent is there to read. */
  isReader: boolean
  /** A call that was refused, by us or by the user, has failed: it did not do what it was meant to. */
  ok: boolean
  /** The title of the task at hand, if there was one. */
  task: string | null
  leftCheckpoint: boolean
}

export type SessionEvent =
  | ({ what: "call" } & ObservedCall)
  | { what: "user message"; taskId: string | null }
  | { what: "cancelled turn" }
  | { what: "good turn" }

/** What an event changes of a session's metrics. */
export function observe(draft: MetricsDraft, event: SessionEvent, now: number): void {
  switch (event.what) {
    case "call":
      observeCall(draft, event, now)
      break
    case "user message":
      observeMessage(draft, event.taskId)
      break
    case "cancelled turn":
      observeCancel(draft)
      break
    case "good turn":
      draft.endRow("cancels")
  }
}

function observeCall(draft: MetricsDraft, call: ObservedCall, now: number): void {
  observePace(draft, now)
  draft.add(`calls ${call.use}`)
  if (call.ok) draft.endRow("tool_failures")
  else draft.extendRow("tool_failures")
  observeReading(draft, call)
  observeRepeats(draft, call)
  observeUpdates(draft, call)
  observeWords(draft, stuckWords(call.prose, call.task ?? "").length)
  if (call.leftCheckpoint && call.task !== null) draft.endRow("turns_on_task")
}

/** A new minute begins with the first call after the last one is over. */
function observePace({ metrics, set }: MetricsDraft, now: number): void {
  const began = timeIn(metrics, "minute_began", now) ?? 0
  if (now - began < MINUTE_MS) return
  const isNext = now - began < 2 * MINUTE_MS
  set("calls_last_minute", isNext ? callsThisMinute(metrics) : 0)
  set("calls_before_minute", allCalls(metrics))
  set("minute_began", now)
}

function observeReading(draft: MetricsDraft, { use, ok, isReader, task }: ObservedCall): void {
  if (use === "write") {
    draft.endRow("reads")
    if (task !== null) draft.endRow("writes_without_task")
    else if (ok) draft.extendRow("writes_without_task")
  } else if (ok && (use === "read" || use === "query") && !isReader) draft.extendRow("reads")
}

function observeRepeats(draft: MetricsDraft, { signature }: ObservedCall): void {
  const call = fingerprint(signature)
  if (draft.metrics.registers["last_call"] !== call) draft.endRow("same_calls")
  draft.extendRow("same_calls")
  draft.set("last_call", call)
}

/** Updates of the session that say about the same, with whatever calls between them. */
function observeUpdates(draft: MetricsDraft, { own, ok }: ObservedCall): void {
  const { action, content } = own?.args ?? {}
  if (own?.tool === "session" && action === "update" && typeof content === "string") {
    const sketch = sketchOf(content)
    if (!areAlike(draft.metrics.registers["last_update"], sketch)) draft.endRow("same_updates")
    draft.extendRow("same_updates")
    draft.set("last_update", sketch)
  } else if (ok && own?.tool === "task" && action !== "status") {
    // The work has moved on by other means.
    draft.endRow("same_updates")
    draft.set("last_update", null)
  }
}

function observeWords(draft: MetricsDraft, said: number): void {
  if (said === 0) return
  if (recentStuckWords(draft.metrics) === 0) draft.endRow("stuck_words")
  draft.extendRow("stuck_words", said)
  draft.set("words_at_call", allCalls(draft.metrics))
}

function observeMessage(draft: MetricsDraft, taskId: string | null): void {
  if (draft.metrics.registers["task_at_hand"] !== taskId) draft.endRow("turns_on_task")
  if (taskId !== null) draft.extendRow("turns_on_task")
  draft.set("task_at_hand", taskId)
}

function observeCancel(draft: MetricsDraft): void {
  draft.extendRow("cancels")
  // Kept when the row ends: the session stays under a closer watch.
  const most = Math.max(mostCancels(draft.metrics), rowLength(draft.metrics, "cancels"))
  draft.set("most_cancels", most)
}

const MINUTE_MS = 60_000
