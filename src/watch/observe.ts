import { mostCancels } from "../work/session/governance.ts"
import { observeFailures } from "./failures.ts"
import { stuckWords, subjectsOf } from "./keywords.ts"
import type { MetricsDraft } from "./metrics-draft.ts"
import type { ObservedCall } from "./observed-call.ts"
import { observeRepeats } from "./repeats.ts"
import {
  allCalls,
  callsThisMinute,
  recentHits,
  recentStuckWords,
  rowLength,
  timeIn,
} from "./session-metrics.ts"

export type SessionEvent =
  | ({ what: "call" } & ObservedCall)
  | { what: "user message"; taskId: string | null; text: string }
  | { what: "cancelled turn" }
  | { what: "good turn" }

/** What an event changes of a session's metrics. */
export function observe(draft: MetricsDraft, event: SessionEvent, now: number): void {
  switch (event.what) {
    case "call":
      observeCall(draft, event, now)
      break
    case "user message":
      observeMessage(draft, event.taskId, event.text)
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
  observeFailures(draft, call)
  observeReading(draft, call)
  observeRepeats(draft, call)
  observeWords(draft, call)
  observePlace(draft, call)
  observeProgress(draft, call)
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

/** What was read and saved as a mem has led to something, as a write has. */
function observeReading(draft: MetricsDraft, { use, ok, isReader, task, own }: ObservedCall): void {
  if (use === "write") {
    draft.endRow("reads")
    if (task !== null) draft.endRow("writes_without_task")
    else if (ok) draft.extendRow("writes_without_task")
  } else if (ok && own?.tool === "memory" && own.args["action"] === "save") draft.endRow("reads")
  else if (ok && (use === "read" || use === "query") && !isReader) draft.extendRow("reads")
}

function observeWords(draft: MetricsDraft, { prose, task }: ObservedCall): void {
  const subjects = draft.metrics.registers["subjects"]
  const said = stuckWords(prose, task ?? "", typeof subjects === "string" ? subjects : "").length
  if (said === 0) return
  if (recentStuckWords(draft.metrics) === 0) draft.endRow("stuck_words")
  draft.extendRow("stuck_words", said)
  draft.set("words_at_call", allCalls(draft.metrics))
}

/** Where the call goes, against where it should and should not. */
function observePlace(draft: MetricsDraft, { ok, isFar, isAgainst }: ObservedCall): void {
  if (ok && isFar === false) draft.endRow("far_edits")
  if (ok && isFar === true) draft.extendRow("far_edits")
  if (!isAgainst) return
  if (recentHits(draft.metrics) === 0) draft.endRow("against_knowledge")
  draft.extendRow("against_knowledge")
  draft.set("against_at_call", allCalls(draft.metrics))
}

/** Reading answers questions: a turn without success is one that tried something. A failed check is no progress. */
function observeProgress(draft: MetricsDraft, { use, ok, leftCheckpoint, command }: ObservedCall): void {
  if (ok && leftCheckpoint && (use === "write" || command === "check")) {
    draft.endRow("turns_on_task")
    draft.set("has_tried", null)
  } else if (!ok || use === "run") draft.set("has_tried", 1)
}

function observeMessage(draft: MetricsDraft, taskId: string | null, text: string): void {
  const { registers } = draft.metrics
  draft.endRow("reads")
  if ((registers["task_at_hand"] ?? null) !== taskId) draft.endRow("turns_on_task")
  else if (registers["has_tried"] === 1) draft.extendRow("turns_on_task")
  draft.set("has_tried", null)
  draft.set("task_at_hand", taskId)
  const subjects = subjectsOf(text)
  // The user's words name what the work is about; they stay its subject.
  if (subjects !== "") draft.set("subjects", subjects)
}

function observeCancel(draft: MetricsDraft): void {
  draft.extendRow("cancels")
  // Kept when the row ends: the session stays under a closer watch.
  const most = Math.max(mostCancels(draft.metrics), rowLength(draft.metrics, "cancels"))
  draft.set("most_cancels", most)
}

const MINUTE_MS = 60_000
