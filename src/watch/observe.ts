import { mostCancels } from "../work/session/governance.ts"
import { isComplaint } from "./complaints.ts"
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
import { type CallPlace, tellingWords } from "./task-place.ts"

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
function observePlace(draft: MetricsDraft, call: ObservedCall): void {
  if (call.ok && call.place !== null) observeWay(draft, call.place, call.task)
  if (!call.isAgainst) return
  if (recentHits(draft.metrics) === 0) draft.endRow("against_knowledge")
  draft.extendRow("against_knowledge")
  draft.set("against_at_call", allCalls(draft.metrics))
}

/**
 * A task that names no place has one as soon as a file of its own words is seen. Edits beside it count a little less, and
 * only as long as they stay in one folder: who goes through the whole tree does something that concerns all of it.
 */
function observeWay(draft: MetricsDraft, { sort, folder }: CallPlace, task: string | null): void {
  const { registers } = draft.metrics
  if (sort === "here" || sort === "seen") draft.set("task_seen", task)
  if (sort === "here" || sort === "related") draft.endRow("far_edits")
  if (sort === "far") draft.extendRow("far_edits")
  if (sort !== "beside" || registers["task_seen"] !== task) return
  if (registers["beside_folder"] !== folder) draft.endRow("far_edits")
  draft.set("beside_folder", folder)
  draft.extendRow("far_edits", BESIDE_COUNTS)
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
  const asked = tellingWords(text.slice(0, MAX_ASKED_CHARS)).join(" ").slice(0, MAX_REGISTER)
  if (asked !== "") draft.set("asked", asked)
  if (isComplaint(text)) draft.extendRow("complaints")
  else draft.endRow("complaints")
}

function observeCancel(draft: MetricsDraft): void {
  draft.extendRow("cancels")
  // Kept when the row ends: the session stays under a closer watch.
  const most = Math.max(mostCancels(draft.metrics), rowLength(draft.metrics, "cancels"))
  draft.set("most_cancels", most)
}

const BESIDE_COUNTS = 0.75
const MAX_ASKED_CHARS = 1000
const MAX_REGISTER = 900
const MINUTE_MS = 60_000
