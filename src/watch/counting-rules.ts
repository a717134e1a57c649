import { createHash } from "node:crypto"
import type { ToolCall, ToolUse } from "../gate/call.ts"
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

export interface ObservedCall
  extends Pick<ToolCall, "use" | "signature" | "prose" | "own" | "isReader" | "edits"> {
  /** Id of the model's answer that made the call: parallel calls share it. Null if the host does not report it. */
  step: string | null
  /** Result of a test or build; null if the call was neither. */
  check: "passed" | "failed" | "unknown" | null
  /** Whether the call succeeded; false for a refused call too. */
  ok: boolean
  said: string
  task: string | null
}

export type SessionEvent =
  | ({ what: "call" } & ObservedCall)
  | { what: "user message"; taskId: string | null; text: string }
  /** The user rejected a call. `words` is empty if no reason was given. */
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
  observeSameCalls(draft, call)
  observeRewrites(draft, call)
  observeUpdates(draft, call)
  if (STUCK.test(call.prose)) draft.extendStreak("stuck_words")
}

/** Counts calls per minute. A new minute begins with the first call after the previous minute has ended. */
function observePace({ metrics, set }: MetricsDraft, now: number): void {
  const began = timeIn(metrics, "minute_began", now) ?? 0
  if (now - began < MINUTE_MS) return
  const isNext = now - began < 2 * MINUTE_MS
  set("calls_last_minute", isNext ? callsThisMinute(metrics) : 0)
  set("calls_before_minute", allCalls(metrics))
  set("minute_began", now)
}

/** Counts steps in a row with a failed call. A success ends the streak, but one read does not: agents read between attempts. */
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

/** Counts failed checks in a row, each after a write. The same error counts 1, a different one 0.5, as it may be progress. */
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

/** Counts reads in a row without a write or a saved mem. */
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
  // Only hashes are stored: they are enough to compare messages.
  const words = wordsOf(text)
    .slice(0, MAX_WORDS)
    .map((word) => fingerprint(word).slice(0, WORD_CHARS))
  const stopped = textIn(draft.metrics, "stopped_message")
  const isSentAgain = stopped !== "" && areAlike(stopped.split(" "), words)
  draft.set("last_message", words.join(" "))
  // If the user sends the same message again, or "continue", the stop was not a complaint.
  if (isSentAgain || saysGoOn(text)) draft.resetStreak("cancels")
  const isAnswer = draft.metrics.registers["has_asked"] === 1
  draft.set("has_asked", null)
  if (isApproval(text)) draft.set("recent_messages", null)
  else noteMessage(draft, correctionIn(text, { isAnswer }), now, isSentAgain)
}

/** Stores the last messages, one letter each. A message that is sent again, or only seconds later, replaces the one before. */
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
  const kept = isOne ? before.slice(0, -1) : before
  const isLighter = isOne && correctionWeight(before.slice(-1)) > correctionWeight(letter)
  draft.set("recent_messages", (isLighter ? before : kept + letter).slice(-RECENT_MESSAGES))
  draft.set("message_at", now)
}

/** The weight of all corrections. A "still fails" after the agent reported success counts twice. */
export function correctionWeight(letters: string): number {
  return letters.split(CORRECTION).length - 1 + 2 * (letters.split(STILL_WRONG).length - 1)
}

/** Normalizes the output of a failure: drops durations and dates, and sorts the lines, because parallel tests mix them. */
function comparableError(said: string): string {
  return said
    .slice(-MAX_CHARS)
    .replaceAll(/\d+([.:,]\d+)*\s*(ms|s|secs?|seconds|m|min|minutes)\b/g, "")
    .replaceAll(/\d{1,4}([-:]\d{2}){2}[\w.:]*/g, "")
    .split("\n")
    .sort()
    .join("\n")
}

function observeSameCalls(draft: MetricsDraft, { signature, ok, said }: ObservedCall): void {
  // The wording of errors varies, so only successful results are compared.
  const call = fingerprint([signature, ok ? said : null])
  if (draft.metrics.registers["last_call"] !== call) draft.resetStreak("same_calls")
  draft.extendStreak("same_calls")
  draft.set("last_call", call)
}

/** Counts edits in a row that repeat an earlier edit: a formatter or the agent itself had undone it. */
function observeRewrites(draft: MetricsDraft, { ok, edits }: ObservedCall): void {
  if (!ok) return
  const before = textIn(draft.metrics, "recent_edits").split(" ")
  const made: string[] = []
  for (const { path, from, to } of edits) {
    if (from === to) continue
    const edit = fingerprint([path, from, to])
    made.push(edit)
    // Writing the same whole file twice in a row does not count.
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
    draft.resetStreak("same_updates")
    draft.set("last_update", null)
  }
}

function wordsOf(text: string): string[] {
  const words = text.slice(0, MAX_TEXT_CHARS).toLowerCase()
  return [...new Set(words.match(/[\p{L}\p{N}]{3,}/gu))]
}

function areAlike(some: readonly string[], others: readonly string[]): boolean {
  const both = others.filter((word) => some.includes(word)).length
  return both / (some.length + others.length - both) >= ALIKE
}

function fingerprint(value: unknown): string {
  // Hashing a long text is faster than writing it as JSON.
  const shorten = (_: string, each: unknown) =>
    typeof each === "string" && each.length > LONG_CHARS ? `${each.length} ${digest(each, "base64")}` : each
  return digest(JSON.stringify(value, shorten) ?? "", "hex").slice(0, CHARS)
}

function digest(text: string, encoding: "hex" | "base64"): string {
  return createHash("sha1").update(text).digest(encoding)
}

/** Matches an agent that says it is stuck. Single words ("retry", "loop") may be the subject of the work. */
const STUCK =
  /\b(i'?m|i am|we'?re|we are|completely|got) (stuck|confused)\b|\b(going|running) in (a loop|circles)\b|\blet me (re-?try|try (it |this |that )?again)\b|\bsame (error|failure|problem) (again|as before)\b|\bkeeps? (on )?failing\b/i
const ASKS = /[?？]["'*_)\s]*$/
const OTHER = "."
const CORRECTION = "c"
const STILL_WRONG = "C"
const RECENT_MESSAGES = 14
const ONE_MESSAGE_MS = 15_000
// Hashes of 120 words fit in a register (1000 characters). Three characters are enough to tell messages apart.
const MAX_WORDS = 120
const WORD_CHARS = 3
const LOOKING: ReadonlySet<ToolUse> = new Set(["read", "query", "governance"])
const CALM_CALLS = 4
const MAX_CHARS = 4000
const MINUTE_MS = 60_000
// Forty fingerprints of twelve characters fit in a register, which holds 1000 characters.
const REMEMBERED = 40
const MAX_TEXT_CHARS = 900
const ALIKE = 0.6
const LONG_CHARS = 1000
const CHARS = 12
