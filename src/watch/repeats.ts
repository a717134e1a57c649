import { numberIn } from "../graph/metrics.ts"
import { areAlike, fingerprint, signatureKey, sketchOf } from "./fingerprint.ts"
import type { MetricsDraft } from "./metrics-draft.ts"
import type { ObservedCall } from "./observed-call.ts"
import { type Row, rowLength } from "./session-metrics.ts"
import { wordsIn } from "./words.ts"

/** The ways to do the same thing over and over. */
export function observeRepeats(draft: MetricsDraft, call: ObservedCall): void {
  observeCalls(draft, call)
  observeRereads(draft, call)
  observeSearches(draft, call)
  observeReturns(draft, call)
  observeUpdates(draft, call)
  observePrompts(draft, call)
}

/** The same call with the same result: one that is made again because its result changes, as of a build, is another. */
function observeCalls(draft: MetricsDraft, { signature, ok, said }: ObservedCall): void {
  // An error is worded anew each time, and a refusal gets shorter.
  const call = fingerprint([signatureKey(signature), ok ? shortened(said) : null])
  if (draft.metrics.registers["last_call"] !== call) draft.endRow("same_calls")
  draft.extendRow("same_calls")
  draft.set("last_call", call)
}

/** Reading what was read a few calls ago and is as it was. */
function observeRereads(draft: MetricsDraft, { use, ok, signature, said }: ObservedCall): void {
  if (!ok) return
  if (use === "write") {
    draft.endRow("rereads")
    draft.set("recent_reads", null)
  } else if (use === "read" || use === "query") {
    const isAgain = remember(draft, "recent_reads", fingerprint([signatureKey(signature), shortened(said)]))
    extendOrFade(draft, "rereads", isAgain, 1)
  }
}

/** Questions in about the same words: another wording seldom has another answer. Paths and addresses are no questions. */
function observeSearches(draft: MetricsDraft, { use, ok, signature }: ObservedCall): void {
  if (!ok || use !== "query") return
  const words = textsIn(signature).map((text) => [...wordsIn(text)].filter((word) => !IN_QUESTIONS.has(word)))
  const asked = words.find((each) => each.length >= LEAST_ASKED)
  if (asked === undefined) return
  const recent = String(draft.metrics.registers["recent_searches"] ?? "").split("|")
  const isAgain = recent.some((each) => shareOf(each.split(" "), asked) >= LIKE_SEARCH)
  extendOrFade(draft, "like_searches", isAgain, 1)
  const kept = [...recent.slice(1 - SEARCHES), asked.join(" ").slice(0, MAX_SEARCH_CHARS)]
  draft.set("recent_searches", kept.join("|"))
}

/** What a call was made with, without the names of it. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return value.includes("/") ? [] : [value.slice(0, MAX_SEARCH_CHARS)]
  if (typeof value !== "object" || value === null || depth > 2) return []
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1))
}

/** How many of the words of either are in both. */
function shareOf(some: readonly string[], others: readonly string[]): number {
  const both = others.filter((word) => some.includes(word)).length
  return both / (some.length + others.length - both)
}

/** A file is brought back to what it was: to and fro, the same change again, deleted again. */
function observeReturns(draft: MetricsDraft, { ok, edits, removed }: ObservedCall): void {
  if (!ok) return
  for (const { path, from, to } of edits) {
    if (from === to) continue
    const isReturn = isKnown(draft, "recent_states", fingerprint([path, to]))
    if (from !== null && from !== "") remember(draft, "recent_states", fingerprint([path, from]))
    remember(draft, "recent_states", fingerprint([path, to]))
    returned(draft, isReturn)
  }
  for (const path of removed)
    if (remember(draft, "recent_states", fingerprint([path, null]))) returned(draft, true)
}

function returned(draft: MetricsDraft, isReturn: boolean): void {
  // The first return is the second time there.
  extendOrFade(draft, "returns", isReturn, rowLength(draft.metrics, "returns") === 0 ? 2 : 1)
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

/** Subagents that are told about the same. Of two that name different files, each has work of its own. */
function observePrompts(draft: MetricsDraft, { prompt }: ObservedCall): void {
  if (prompt === null) return
  const { registers } = draft.metrics
  const text = prompt.slice(0, MAX_CHARS)
  const sketch = sketchOf(text.replace(FILLERS, " "))
  const named = fingerprint(text.match(/[\w-]*[./_\d][\w./-]*\w/g) ?? [])
  if (registers["last_named"] !== named || !areAlike(registers["last_prompt"], sketch))
    draft.endRow("same_prompts")
  draft.extendRow("same_prompts")
  draft.set("last_prompt", sketch)
  draft.set("last_named", named)
}

/** Longer by what came again; what is new fades it out. */
function extendOrFade(draft: MetricsDraft, row: Row, isAgain: boolean, by: number): void {
  const fresh = `new since ${row}`
  if (isAgain) {
    draft.extendRow(row, by)
    draft.set(fresh, null)
    return
  }
  if (rowLength(draft.metrics, row) === 0) return
  const count = numberIn(draft.metrics.registers, fresh) + 1
  if (count >= FADES_AFTER) draft.endRow(row)
  draft.set(fresh, count >= FADES_AFTER ? null : count)
}

function isKnown({ metrics }: MetricsDraft, register: string, key: string): boolean {
  return String(metrics.registers[register] ?? "").includes(key)
}

/** Was it among the last ones? It is from now on. */
function remember(draft: MetricsDraft, register: string, key: string): boolean {
  if (isKnown(draft, register, key)) return true
  const kept = String(draft.metrics.registers[register] ?? "").split(" ")
  draft.set(register, [...kept.slice(1 - REMEMBERED), key].join(" ").trim())
  return false
}

function shortened(said: string): string {
  return said.length <= MAX_CHARS ? said : `${said.length} ${said.slice(0, MAX_CHARS)}`
}

// A register holds 1000 characters, a fingerprint has twelve.
const REMEMBERED = 12
// Together they stay below what a register holds.
const SEARCHES = 4
const MAX_SEARCH_CHARS = 200
const LEAST_ASKED = 3
const LIKE_SEARCH = 0.6
const IN_QUESTIONS = wordsIn(
  "a an the is are was do does did not no how why what when which to of in on for with and or it its fix issue problem error",
)
const FADES_AFTER = 5
const MAX_CHARS = 4000
const FILLERS = /\b(please|again|now|still|try|once more|one more time|another|properly|really)\b/gi
