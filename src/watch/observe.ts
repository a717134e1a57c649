import type { FileEdit, ToolUse } from "../gate/call.ts"
import { numberIn } from "../graph/metrics.ts"
import { type Correction, correctionIn, isContent, saysGoOn } from "../shared/text/corrections.ts"
import { fingerprint } from "./fingerprint.ts"
import type { MetricsDraft } from "./metrics-draft.ts"
import { areAlike, observeRepetition, wordsOf } from "./repetition.ts"
import { allCalls, callsThisMinute, rowLength, textIn, timeIn } from "./session-metrics.ts"

/** A tool call that is over. */
export interface ObservedCall {
  use: ToolUse
  /** The same for calls that the model made in parallel; null where the host does not say. */
  step: string | null
  /** Equal for equal calls. */
  signature: unknown
  /** The agent's own words about its work in this call. */
  prose: string
  /** A tool of ours, and what it was called with. */
  own: { tool: string; args: Readonly<Record<string, unknown>> } | null
  /** The agent is there to read. */
  isReader: boolean
  /** How a test or build ended; null where the call ran none. */
  check: "passed" | "failed" | "unknown" | null
  /** False also for a call that HiveMind refused. */
  ok: boolean
  /** The result as the model reads it. */
  said: string
  edits: readonly FileEdit[]
  /** The title of the current task. */
  task: string | null
}

export type SessionEvent =
  | ({ what: "call" } & ObservedCall)
  | { what: "user message"; taskId: string | null; text: string }
  /** The user rejected a call, maybe with words. */
  | { what: "rejected call"; words: string }
  /** `said`: the answer's last text, as far as the host tells. */
  | { what: "cancelled turn" | "good turn"; said: string }

/** Updates a session's metrics for an event. */
export function observe(draft: MetricsDraft, event: SessionEvent, now: number): void {
  switch (event.what) {
    case "call":
      observeCall(draft, event, now)
      break
    case "user message":
      observeMessage(draft, event.taskId, event.text, now)
      break
    case "rejected call":
      if (event.words !== "") noteMessage(draft, correctionIn(event.words, { rejectsCall: true }), now)
      break
    case "cancelled turn":
      draft.extendRow("cancels")
      draft.set("stopped_message", draft.metrics.registers["last_message"] ?? null)
      break
    case "good turn":
      draft.endRow("cancels")
      for (const name of ["stopped_message", "message_at"]) draft.set(name, null)
      draft.set("has_asked", ASKS.test(event.said) ? 1 : null)
  }
}

function observeCall(draft: MetricsDraft, call: ObservedCall, now: number): void {
  observePace(draft, now)
  draft.add(`calls ${call.use}`)
  observeFailures(draft, call)
  observeChecks(draft, call)
  observeReading(draft, call)
  observeRepetition(draft, call)
  if (STUCK.test(call.prose)) draft.extendRow("stuck_words")
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

/**
 * Steps in a row in which a call failed. One mistake often fails every call of a parallel step, so that counts once.
 * Anything done ends the row, with tools of other servers as well; reading does only after a few calls, because
 * agents read between one failing attempt and the next.
 */
function observeFailures(draft: MetricsDraft, { ok, use, step }: ObservedCall): void {
  const { metrics } = draft
  if (!ok) {
    draft.add("tool_failures")
    const isSameStep = step !== null && textIn(metrics, "failed_step") === step
    if (!isSameStep) draft.extendRow("failed_steps")
    draft.set("failed_step", step)
    draft.set("calm_calls", null)
    return
  }
  if (rowLength(metrics, "failed_steps") === 0) return
  const calm = numberIn(metrics.registers, "calm_calls") + 1
  const isOver = !LOOKING.has(use) || calm >= CALM_CALLS
  if (isOver) draft.endRow("failed_steps")
  draft.set("calm_calls", isOver ? null : calm)
}

/**
 * A check that fails after a write: what was written has not helped. The error of last time counts whole, another one
 * half: errors that change are a way forward, though not for ever. A check that passes ends it.
 */
function observeChecks(draft: MetricsDraft, { ok, use, check, said }: ObservedCall): void {
  const { registers } = draft.metrics
  if (check === "passed") {
    draft.endRow("failed_checks")
    for (const name of ["last_error", "has_written"]) draft.set(name, null)
  } else if (check === "failed") {
    const error = fingerprint(comparableError(said))
    if (registers["has_written"] === 1)
      draft.extendRow("failed_checks", (registers["last_error"] ?? error) === error ? 1 : 0.5)
    draft.set("last_error", error)
    draft.set("has_written", null)
  } else if (ok && use === "write") draft.set("has_written", 1)
}

/** Reading that ends in a saved mem has led to something, as reading before a write has. */
function observeReading(draft: MetricsDraft, { use, ok, isReader, task, own }: ObservedCall): void {
  if (use === "write") {
    draft.endRow("reads")
    if (task !== null) draft.endRow("writes_without_task")
    else if (ok) draft.extendRow("writes_without_task")
  } else if (ok && own?.tool === "memory" && own.args["action"] === "save") draft.endRow("reads")
  else if (ok && (use === "read" || use === "query") && !isReader) draft.extendRow("reads")
}

/** A message is a new order: reading and undoing for the sake of it is no drift. */
function observeMessage(draft: MetricsDraft, taskId: string | null, text: string, now: number): void {
  for (const row of ["reads", "rewrites", "stuck_words"] as const) draft.endRow(row)
  draft.set("recent_edits", null)
  if ((draft.metrics.registers["task_at_hand"] ?? null) !== taskId) draft.endRow("turns_on_task")
  draft.extendRow("turns_on_task")
  draft.set("task_at_hand", taskId)
  // Not the words themselves: nothing that the user says is kept.
  const words = wordsOf(text)
    .slice(0, MAX_WORDS)
    .map((word) => fingerprint(word).slice(0, WORD_CHARS))
  const stopped = textIn(draft.metrics, "stopped_message")
  const isSentAgain = stopped !== "" && areAlike(stopped.split(" "), words)
  draft.set("last_message", words.join(" "))
  // The user only says it better, or has nothing against what was stopped.
  if (isSentAgain || saysGoOn(text)) draft.endRow("cancels")
  const isAnswer = draft.metrics.registers["has_asked"] === 1
  draft.set("has_asked", null)
  if (isContent(text)) draft.set("recent_messages", null)
  else noteMessage(draft, correctionIn(text, { isAnswer }), now, isSentAgain)
}

/** The last messages, one letter each, the newest last. One sent again, or seconds later and unanswered, is no other. */
function noteMessage(
  draft: MetricsDraft,
  correction: Correction | undefined,
  now: number,
  isSentAgain = false,
): void {
  if (correction !== undefined) draft.add("corrections")
  const before = textIn(draft.metrics, "recent_messages")
  const last = timeIn(draft.metrics, "message_at", now)
  const isOne = isSentAgain || (last !== undefined && now - last < ONE_MESSAGE_MS)
  const letter = correction === undefined ? OTHER : correction.isStillWrong ? STILL_WRONG : CORRECTION
  const letters = isOne ? before.slice(0, -1) + heavierOf(before.slice(-1), letter) : before + letter
  draft.set("recent_messages", letters.slice(-RECENT_MESSAGES))
  draft.set("message_at", now)
}

/** How many corrections the last messages stand for. What still fails after it was called done counts twice. */
export function weightOf(letters: string): number {
  return letters.split(CORRECTION).length - 1 + 2 * (letters.split(STILL_WRONG).length - 1)
}

function heavierOf(one: string, other: string): string {
  return weightOf(one) > weightOf(other) ? one : other
}

/** Equal for equal failures: durations and dates differ each time, and parallel tests or two streams mix their lines. */
function comparableError(said: string): string {
  return said
    .slice(-MAX_CHARS)
    .replaceAll(/\d+([.:,]\d+)*\s*(ms|s|secs?|seconds|m|min|minutes)\b/g, "")
    .replaceAll(/\d{1,4}([-:]\d{2}){2}[\w.:]*/g, "")
    .split("\n")
    .sort()
    .join("\n")
}

/** How an agent says that it is stuck. The words alone ("retry", "loop") may be what the work is about. */
const STUCK =
  /\b(i'?m|i am|we'?re|we are|completely|got) (stuck|confused)\b|\b(going|running) in (a loop|circles)\b|\blet me (re-?try|try (it |this |that )?again)\b|\bsame (error|failure|problem) (again|as before)\b|\bkeeps? (on )?failing\b/i
const ASKS = /[?？]["'*_)\s]*$/
const OTHER = "."
const CORRECTION = "c"
const STILL_WRONG = "C"
const RECENT_MESSAGES = 14
const ONE_MESSAGE_MS = 15_000
// A register holds 1000 characters. Three digits tell messages apart, not words.
const MAX_WORDS = 120
const WORD_CHARS = 3
const LOOKING: ReadonlySet<ToolUse> = new Set(["read", "query", "governance"])
const CALM_CALLS = 4
const MAX_CHARS = 4000
const MINUTE_MS = 60_000
