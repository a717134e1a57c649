import type { GateCall } from "../gate/call.ts"
import { ALL } from "../graph/indexes.ts"
import { first } from "../graph/record-map.ts"
import type { GraphState } from "../graph/state.ts"

/**
 * Does a call do what a false path or a critical anchor warns of? Words decide: most of a false path's in what the call
 * writes, runs and says; of an anchor all that stand behind its "never", in what it writes, runs and where.
 */
export function isAgainstKnown(state: GraphState, call: GateCall): boolean {
  if (call.own !== null || (call.use !== "write" && call.use !== "run")) return false
  const done = [
    call.command?.text ?? "",
    ...call.writes,
    ...call.edits.map(({ to }) => to.slice(0, MAX_CHARS)),
  ]
  const text = done.join("\n").slice(0, MAX_CHARS)
  if (text.trim() === "") return false
  const words = wordsOf(text)
  for (const anchor of first(MAX_KNOWN, state.anchor.by("critical", ALL)))
    if (cached(anchor, () => forbiddenIn(anchor.value)).some((part) => part.every((word) => words.has(word))))
      return true
  const said = wordsOf(`${text}\n${call.prose}`)
  for (const mem of first(MAX_KNOWN, state.mem.by("standing", "false path")))
    if (cached(mem, () => [tellingWords(mem.content)]).some((known) => isMostly(known, said))) return true
  return false
}

/** Records do not change; one that was changed is another object. */
function cached(record: object, make: () => string[][]): string[][] {
  const known = telling.get(record) ?? make()
  telling.set(record, known)
  return known
}

/** What stands behind each "never" and its like, up to the end of the clause. */
function forbiddenIn(value: string): string[][] {
  const clauses = value.slice(0, MAX_CHARS).matchAll(FORBIDS)
  return [...clauses].map(([, clause = ""]) => tellingWords(clause)).filter((words) => words.length > 0)
}

function isMostly(known: readonly string[], said: ReadonlySet<string>): boolean {
  if (known.length < LEAST_WORDS) return false
  const share = known.filter((word) => said.has(word)).length / known.length
  return share >= MOST
}

function tellingWords(text: string): string[] {
  return [...wordsOf(text)].filter((word) => !COMMON.has(word))
}

/** Without an "s" or "ing" behind it: a word counts in each of its forms. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return new Set(words.map((word) => (word.length > 4 ? word.replace(/(ing|es|s)$/, "") : word)))
}

const telling = new WeakMap<object, string[][]>()
const FORBIDS = /\b(?:never|do not|don'?t|must not|may not|no|avoid|instead of|not)\s+([^.;:!?,\n]+)/gi
const COMMON = wordsOf(
  "the and any with for from into that this its are was were but not you our their under below within inside anything files file folder directory code use using edit editing change changing touch write run running add adding call make making commit push ever without there here when then because all by at in on of to or is it an be do no",
)
const MOST = 0.6
const LEAST_WORDS = 4
const MAX_KNOWN = 50
const MAX_CHARS = 4000
