import { fingerprint } from "./fingerprint.ts"
import type { MetricsDraft } from "./metrics-draft.ts"
import type { ObservedCall } from "./observe.ts"
import { textIn } from "./session-metrics.ts"

/** The same call again, edits to and fro, session updates that say the same. */
export function observeRepetition(draft: MetricsDraft, call: ObservedCall): void {
  observeSameCalls(draft, call)
  observeRewrites(draft, call)
  observeUpdates(draft, call)
}

/** The same call with the same result. A call that is made again because its result changes, as of a build, is another. */
function observeSameCalls(draft: MetricsDraft, { signature, ok, said }: ObservedCall): void {
  // An error is worded anew each time, and a refusal gets shorter.
  const call = fingerprint([signature, ok ? said : null])
  if (draft.metrics.registers["last_call"] !== call) draft.endRow("same_calls")
  draft.extendRow("same_calls")
  draft.set("last_call", call)
}

/** Edits in a row that were made before: something undoes them, a formatter maybe, or the agent itself. */
function observeRewrites(draft: MetricsDraft, { ok, edits }: ObservedCall): void {
  if (!ok) return
  const before = textIn(draft.metrics, "recent_edits").split(" ")
  const made: string[] = []
  for (const { path, from, to } of edits) {
    if (from === to) continue
    const edit = fingerprint([path, from, to])
    made.push(edit)
    // A whole file may be written once more as it is.
    const isMadeAgain = before.includes(edit) && (from !== null || before.at(-1) !== edit)
    if (isMadeAgain) draft.extendRow("rewrites")
    else draft.endRow("rewrites")
  }
  if (made.length > 0) draft.set("recent_edits", [...before, ...made].slice(-REMEMBERED).join(" ").trim())
}

function observeUpdates(draft: MetricsDraft, { own, ok }: ObservedCall): void {
  const { action, content } = own?.args ?? {}
  if (own?.tool === "session" && action === "update" && typeof content === "string") {
    const words = wordsOf(content)
    if (!areAlike(textIn(draft.metrics, "last_update").split(" "), words)) draft.endRow("same_updates")
    draft.extendRow("same_updates")
    draft.set("last_update", words.join(" "))
  } else if (ok && own?.tool === "task" && action !== "status") {
    // The work has moved on by other means.
    draft.endRow("same_updates")
    draft.set("last_update", null)
  }
}

export function wordsOf(text: string): string[] {
  return [
    ...new Set(
      text
        .slice(0, MAX_CHARS)
        .toLowerCase()
        .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
    ),
  ]
}

/** Most words of either are in both. */
export function areAlike(some: readonly string[], others: readonly string[]): boolean {
  const both = others.filter((word) => some.includes(word)).length
  return both / (some.length + others.length - both) >= ALIKE
}

// A register holds 1000 characters, a fingerprint has twelve.
const REMEMBERED = 40
const MAX_CHARS = 900
const ALIKE = 0.6
