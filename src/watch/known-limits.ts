import type { GateCall } from "../gate/call.ts"
import { ALL } from "../graph/indexes.ts"
import { first } from "../graph/record-map.ts"
import type { GraphState } from "../graph/state.ts"
import { wordsIn } from "./words.ts"

/**
 * Does a call do what a false path or a critical anchor warns of? Words decide: most of a false path's in what the call
 * writes, runs and says; of an anchor all that stand behind its "never", in what it writes, runs and where, or a path that
 * "must not be changed".
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
  const words = wordsIn(text)
  for (const anchor of first(MAX_KNOWN, state.anchor.by("critical", ALL)))
    if (
      cached(telling, anchor, () => forbiddenIn(anchor.value)).some((part) =>
        part.every((word) => words.has(word)),
      ) ||
      cached(frozen, anchor, () => frozenIn(anchor.value)).some((place) =>
        call.writes.some((path) => `${path}/`.startsWith(`${place}/`)),
      )
    )
      return true
  const said = wordsIn(`${text}\n${call.prose}`)
  for (const mem of first(MAX_KNOWN, state.mem.by("standing", "false path")))
    if (
      isTriedAgain(
        cached(telling, mem, () => triedAndAll(mem.content)),
        said,
      )
    )
      return true
  return false
}

/** Records do not change; one that was changed is another object. */
function cached<T>(kept: WeakMap<object, T>, record: object, make: () => T): T {
  const known = kept.get(record) ?? make()
  kept.set(record, known)
  return known
}

/** What stands behind each "never" and its like, up to the end of the clause. */
function forbiddenIn(value: string): string[][] {
  const clauses = value.slice(0, MAX_CHARS).matchAll(FORBIDS)
  return [...clauses].map(([, clause = ""]) => wordsThatLimit(clause)).filter((words) => words.length > 0)
}

/** Paths that "must not be changed", "are frozen" and the like. */
function frozenIn(value: string): string[] {
  return [...value.slice(0, MAX_VALUE).matchAll(FROZEN)].map(([, path = ""]) => path.replace(/\/?\**$/, ""))
}

/** The telling words of what was tried, and of all. What came of it is not in a call that tries it again. */
function triedAndAll(content: string): string[][] {
  const [tried = ""] = content.slice(0, MAX_CHARS).split(CAME_OF_IT)
  return [wordsThatLimit(tried), wordsThatLimit(content.slice(0, MAX_CHARS))]
}

function isTriedAgain([tried = [], all = []]: string[][], said: ReadonlySet<string>): boolean {
  const share = (words: string[]) => words.filter((word) => said.has(word)).length / words.length
  return (
    (tried.length >= LEAST_TRIED && share(tried) >= MOST_TRIED) ||
    (all.length >= LEAST_WORDS && share(all) >= MOST)
  )
}

function wordsThatLimit(text: string): string[] {
  return [...wordsIn(text)].filter((word) => !COMMON.has(word))
}

const telling = new WeakMap<object, string[][]>()
const frozen = new WeakMap<object, string[]>()
const FORBIDS = /\b(?:never|do not|don'?t|must not|may not|no|avoid|instead of|not)\s+([^.;:!?,\n]+)/gi
const COMMON = wordsIn(
  "the and any with for from into that this its are was were but not you our their under below within inside anything files file folder directory code use using edit editing change changing touch write run running add adding call make making commit push ever without there here when then because all by at in on of to or is it an be do no",
)
const FROZEN =
  /([\w@.-]+(?:\/[\w@.*-]+)+)[^;!?\n]{0,40}?\b(?:must not|may not|must never|never be|not be|is frozen|are frozen|read-only|off limits)\b/gi
const CAME_OF_IT =
  /\b(?:breaks?|broke|fails?|failed|makes?|made|causes?|caused|leads?|led|crash(?:es|ed)?|does not|doesn't|did not|didn't|because|is too|was too)\b|[:;]/i
const MOST_TRIED = 0.75
const LEAST_TRIED = 3
const MOST = 0.6
const LEAST_WORDS = 4
const MAX_KNOWN = 50
const MAX_CHARS = 4000
// A search for paths in a long text without any takes time.
const MAX_VALUE = 500
