import { createHash } from "node:crypto"
import type { FileEdit, ToolUse } from "../gate/call.ts"
import { numberIn } from "../graph/metrics.ts"
import { type Correction, correctionIn, isApproval, saysGoOn } from "../shared/text/corrections.ts"
import {
  allCalls,
  callsThisMinute,
  type MetricsDraft,
  streakLength,
  textIn,
  timeIn,
} from "./session-metrics.ts"

export interface ObservedCall {
  use: ToolUse
  /** Id of the answer: the same for parallel calls; null if the host does not say. */
  step: string | null
  /** Equal for equal calls. */
  signature: unknown
  /** The agent's own words in this call. */
  prose: string
  /** A tool of ours with its arguments. */
  own: { tool: string; args: Readonly<Record<string, unknown>> } | null
  /** A read-only agent. */
  isReader: boolean
  /** Result of a test or build; null without one. */
  check: "passed" | "failed" | "unknown" | null
  /** False for a refused call too. */
  ok: boolean
  /** The result as the model reads it. */
  said: string
  edits: readonly FileEdit[]
  /** Title of the current task. */
  task: string | null
}

export type SessionEvent =
  | ({ what: "call" } & ObservedCall)
  | { what: "user message"; taskId: string | null; text: string }
  /** The user rejected a call, with words or none. */
  | { what: "rejected call"; words: string }
  /** `said`: the last text of the answer, if known. */
  | { what: "cancelled turn" | "good turn"; said: string }

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
      draft.extendStreak("cancels")
      draft.set("stopped_message", draft.metrics.registers["last_message"] ?? null)
      break
    case "good turn":
      draft.resetStreak("cancels")
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
  if (STUCK.test(call.prose)) draft.extendStreak("stuck_words")
}

/** A new minute begins with the first call after the last one. */
function observePace({ metrics, set }: MetricsDraft, now: number): void {
  const began = timeIn(metrics, "minute_began", now) ?? 0
  if (now - began < MINUTE_MS) return
  const isNext = now - began < 2 * MINUTE_MS
  set("calls_last_minute", isNext ? callsThisMinute(metrics) : 0)
  set("calls_before_minute", allCalls(metrics))
  set("minute_began", now)
}

/**
 * Steps in a row with a failed call. One mistake often fails all calls of a parallel step: that counts once. Any other
 * successful call ends the streak; reads only after a few, because agents read between failing attempts.
 */
function observeFailures(draft: MetricsDraft, { ok, use, step }: ObservedCall): void {
  const { metrics } = draft
  if (!ok) {
    draft.add("tool_failures")
    const isSameStep = step !== null && textIn(metrics, "failed_step") === step
    if (!isSameStep) draft.extendStreak("failed_steps")
    draft.set("failed_step", step)
    draft.set("calm_calls", null)
    return
  }
  if (streakLength(metrics, "failed_steps") === 0) return
  const calm = numberIn(metrics.registers, "calm_calls") + 1
  const isOver = !LOOKING.has(use) || calm >= CALM_CALLS
  if (isOver) draft.resetStreak("failed_steps")
  draft.set("calm_calls", isOver ? null : calm)
}

/**
 * Checks in a row that failed after a write. The same error counts 1, another one 0.5: changing errors are progress,
 * within limits.
 */
function observeChecks(draft: MetricsDraft, { ok, use, check, said }: ObservedCall): void {
  const { registers } = draft.metrics
  if (check === "passed") {
    draft.resetStreak("failed_checks")
    for (const name of ["last_error", "has_written"]) draft.set(name, null)
  } else if (check === "failed") {
    const error = fingerprint(comparableError(said))
    if (registers["has_written"] === 1)
      draft.extendStreak("failed_checks", (registers["last_error"] ?? error) === error ? 1 : 0.5)
    draft.set("last_error", error)
    draft.set("has_written", null)
  } else if (ok && use === "write") draft.set("has_written", 1)
}

/** Reads in a row without a write or a saved mem. */
function observeReading(draft: MetricsDraft, { use, ok, isReader, task, own }: ObservedCall): void {
  if (use === "write") {
    draft.resetStreak("reads")
    if (task !== null) draft.resetStreak("writes_without_task")
    else if (ok) draft.extendStreak("writes_without_task")
  } else if (ok && own?.tool === "memory" && own.args["action"] === "save") draft.resetStreak("reads")
  else if (ok && (use === "read" || use === "query") && !isReader) draft.extendStreak("reads")
}

/** A user message is a new instruction: it resets the streaks of reads, rewrites and stuck words. */
function observeMessage(draft: MetricsDraft, taskId: string | null, text: string, now: number): void {
  for (const streak of ["reads", "rewrites", "stuck_words"] as const) draft.resetStreak(streak)
  draft.set("recent_edits", null)
  if ((draft.metrics.registers["task_at_hand"] ?? null) !== taskId) draft.resetStreak("turns_on_task")
  draft.extendStreak("turns_on_task")
  draft.set("task_at_hand", taskId)
  // Hashes are enough to compare messages.
  const words = wordsOf(text)
    .slice(0, MAX_WORDS)
    .map((word) => fingerprint(word).slice(0, WORD_CHARS))
  const stopped = textIn(draft.metrics, "stopped_message")
  const isSentAgain = stopped !== "" && areAlike(stopped.split(" "), words)
  draft.set("last_message", words.join(" "))
  // Sent again or "continue": the stop was not a complaint.
  if (isSentAgain || saysGoOn(text)) draft.resetStreak("cancels")
  const isAnswer = draft.metrics.registers["has_asked"] === 1
  draft.set("has_asked", null)
  if (isApproval(text)) draft.set("recent_messages", null)
  else noteMessage(draft, correctionIn(text, { isAnswer }), now, isSentAgain)
}

/** The last messages, one letter each. A message sent again, or within seconds and unanswered, is the same one. */
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

/** Weight of the corrections. "Still fails" after the agent called it done counts twice. */
export function correctionWeight(letters: string): number {
  return letters.split(CORRECTION).length - 1 + 2 * (letters.split(STILL_WRONG).length - 1)
}

function heavierOf(one: string, other: string): string {
  return correctionWeight(one) > correctionWeight(other) ? one : other
}

/** Equal for equal failures: without durations and dates, lines sorted (parallel tests mix them). */
function comparableError(said: string): string {
  return said
    .slice(-MAX_CHARS)
    .replaceAll(/\d+([.:,]\d+)*\s*(ms|s|secs?|seconds|m|min|minutes)\b/g, "")
    .replaceAll(/\d{1,4}([-:]\d{2}){2}[\w.:]*/g, "")
    .split("\n")
    .sort()
    .join("\n")
}

function observeRepetition(draft: MetricsDraft, call: ObservedCall): void {
  observeSameCalls(draft, call)
  observeRewrites(draft, call)
  observeUpdates(draft, call)
}

/** The same call with the same result in a row. */
function observeSameCalls(draft: MetricsDraft, { signature, ok, said }: ObservedCall): void {
  // Errors are worded differently each time.
  const call = fingerprint([signature, ok ? said : null])
  if (draft.metrics.registers["last_call"] !== call) draft.resetStreak("same_calls")
  draft.extendStreak("same_calls")
  draft.set("last_call", call)
}

/** Edits in a row that were made before: a formatter or the agent itself undoes them. */
function observeRewrites(draft: MetricsDraft, { ok, edits }: ObservedCall): void {
  if (!ok) return
  const before = textIn(draft.metrics, "recent_edits").split(" ")
  const made: string[] = []
  for (const { path, from, to } of edits) {
    if (from === to) continue
    const edit = fingerprint([path, from, to])
    made.push(edit)
    // A whole file may be written again unchanged.
    const isMadeAgain = before.includes(edit) && (from !== null || before.at(-1) !== edit)
    if (isMadeAgain) draft.extendStreak("rewrites")
    else draft.resetStreak("rewrites")
  }
  if (made.length > 0) draft.set("recent_edits", [...before, ...made].slice(-REMEMBERED).join(" ").trim())
}

function observeUpdates(draft: MetricsDraft, { own, ok }: ObservedCall): void {
  const { action, content } = own?.args ?? {}
  if (own?.tool === "session" && action === "update" && typeof content === "string") {
    const words = wordsOf(content)
    if (!areAlike(textIn(draft.metrics, "last_update").split(" "), words)) draft.resetStreak("same_updates")
    draft.extendStreak("same_updates")
    draft.set("last_update", words.join(" "))
  } else if (ok && own?.tool === "task" && action !== "status") {
    // The work has moved on.
    draft.resetStreak("same_updates")
    draft.set("last_update", null)
  }
}

function wordsOf(text: string): string[] {
  return [
    ...new Set(
      text
        .slice(0, MAX_TEXT_CHARS)
        .toLowerCase()
        .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
    ),
  ]
}

/** True if most words are in both. */
function areAlike(some: readonly string[], others: readonly string[]): boolean {
  const both = others.filter((word) => some.includes(word)).length
  return both / (some.length + others.length - both) >= ALIKE
}

/** A short hash of a value. */
function fingerprint(value: unknown): string {
  return digest(JSON.stringify(value, shortenTexts) ?? "", "hex").slice(0, CHARS)
}

/** Hashing a whole file is faster than writing it as JSON. */
function shortenTexts(_: string, value: unknown): unknown {
  const isLong = typeof value === "string" && value.length > LONG_CHARS
  return isLong ? `${value.length} ${digest(value, "base64")}` : value
}

function digest(text: string, encoding: "hex" | "base64"): string {
  return createHash("sha1").update(text).digest(encoding)
}

/** How an agent says that it is stuck. Single words ("retry", "loop") may be the subject of the work. */
const STUCK =
  /\b(i'?m|i am|we'?re|we are|completely|got) (stuck|confused)\b|\b(going|running) in (a loop|circles)\b|\blet me (re-?try|try (it |this |that )?again)\b|\bsame (error|failure|problem) (again|as before)\b|\bkeeps? (on )?failing\b/i
const ASKS = /[?？]["'*_)\s]*$/
const OTHER = "."
const CORRECTION = "c"
const STILL_WRONG = "C"
const RECENT_MESSAGES = 14
const ONE_MESSAGE_MS = 15_000
// A register holds 1000 characters. Three digits tell messages apart.
const MAX_WORDS = 120
const WORD_CHARS = 3
const LOOKING: ReadonlySet<ToolUse> = new Set(["read", "query", "governance"])
const CALM_CALLS = 4
const MAX_CHARS = 4000
const MINUTE_MS = 60_000
// A register holds 1000 characters, a fingerprint has twelve.
const REMEMBERED = 40
const MAX_TEXT_CHARS = 900
const ALIKE = 0.6
const LONG_CHARS = 1000
const CHARS = 12
