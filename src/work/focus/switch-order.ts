import { anyOf, plainWords } from "./switch-words.ts"

/** A sentence of a user message, in plain words, clause by clause. */
export interface Sentence {
  clauses: string[]
  words: ReadonlySet<string>
  /** Not a question, and what follows does not take it back or put it off. */
  canOrder: boolean
  /** The sentence before stops the work at hand: "Wait. Fix the UI." */
  isUrged: boolean
  /** It has words of an order, beside others. */
  resemblesOrder: boolean
}

/** The user's own sentences: without code, quotations, lists and the middle of a long message, which is mostly pasted. */
export function sentencesOf(message: string): Sentence[] {
  const own = message.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
  const ends = own.length <= 2 * END_CHARS ? own : `${own.slice(0, END_CHARS)}\n${own.slice(-END_CHARS)}`
  const lines = ends.split("\n").filter((line) => !NOT_OWN.test(line))
  const texts = lines
    .flatMap((line) => line.trim().split(/(?<=[.!?])\s+|;\s/))
    .filter((text) => text !== "" && text.length <= MAX_SENTENCE_CHARS)
  const all = texts.map((text) => text.replace(NO, "").split(CLAUSE_END).map(plainWords).filter(Boolean))
  return all.map((clauses, n) => {
    const text = clauses.join(" ")
    const before = all[n - 1]?.join(" ") ?? ""
    const after = [...clauses.slice(1), all[n + 1]?.[0] ?? ""]
    const isQuestion = texts[n]?.endsWith("?") && !ASKS.test(text)
    return {
      clauses,
      words: new Set(text.split(" ")),
      canOrder: !isQuestion && !after.some((clause) => UNLESS.test(clause)),
      isUrged: LEAVES.test(before) || (URGENT.test(before) && saysNothingElse(before)),
      resemblesOrder: SWITCH.test(text) || URGENT.test(text),
    }
  })
}

/**
 * Reads a sentence, or its first clauses, as an order for the task with this name. `words`: of the order, without reasons that
 * follow. Not `isByTitleVerb`: by a verb of switching, or by "do" and an urgent word.
 */
export function orderIn(
  { clauses, canOrder, isUrged }: Sentence,
  name: ReadonlySet<string>,
  titleVerb: string,
): { words: ReadonlySet<string>; isByTitleVerb: boolean } | undefined {
  for (let end = canOrder ? clauses.length : 0; end > 0; end--) {
    const start = clauses.slice(0, end)
    const whole = start.join(" ")
    const rest = start.map((clause) => clause.replace(WORK_TO_LEAVE, "")).join(" ")
    for (const text of [whole, rest]) {
      const said = text.split(" ")
      const words = new Set(said)
      const first = said.findIndex((word) => name.has(word))
      const before = said.slice(0, first).join(" ")
      const others = said.filter((word) => !name.has(word)).join(" ")
      if (first < 0 || FOR_NOW.test(text) || !saysNothingElse(others)) continue
      const isUrgent = isUrged || text !== whole || URGENT.test(others)
      const isSwitch = SWITCH.test(before) && (words.has(titleVerb) || !GIT_PLACE.test(text))
      if (isSwitch || (isUrgent && DO.test(before))) return { words, isByTitleVerb: false }
      if (isUrgent && words.has(titleVerb)) return { words, isByTitleVerb: true }
    }
  }
  return undefined
}

/** A sentence that says "next task" or "back to the plan", and nothing else. */
export function planStepIn({ clauses, canOrder }: Sentence): "next task" | "back to the plan" | undefined {
  const text = clauses.join(" ")
  const other = text.replace(PLAN_STEP, "")
  if (!canOrder || other === text || !saysNothingElse(other)) return undefined
  return NEXT_TASK.test(text) ? "next task" : "back to the plan"
}

function saysNothingElse(words: string): boolean {
  return words.replaceAll(KNOWN, "").trim() === ""
}

// Bounded, because "right now" can be read as one phrase or as two: each one more would double the work.
const POLITE_START = `^(?:${anyOf("filler", "urgent")} ){0,6}`
const KNOWN = new RegExp(anyOf("switchTo", "do", "urgent", "ask", "filler"), "gu")
const SWITCH = new RegExp(anyOf("switchTo"), "u")
const DO = new RegExp(anyOf("do"), "u")
const URGENT = new RegExp(anyOf("urgent"), "u")
const FOR_NOW = /(?:for|by|from|until) now/
const GIT_PLACE = /(?<![^ ])(?:branch|worktree|repo)(?![^ ])/
const ASKS = new RegExp(POLITE_START + anyOf("ask"), "u")
const UNLESS = new RegExp(`^${anyOf("unless")}`, "u")
const LEAVES = new RegExp(POLITE_START + anyOf("leave"), "u")
const WORK_TO_LEAVE = new RegExp(`${LEAVES.source}(?:.*? ${anyOf("and")} |.*$)`, "u")
const NEXT_TASK = new RegExp(anyOf("nextTask"), "u")
const PLAN_STEP = new RegExp(anyOf("nextTask", "backToPlan"), "u")
const CLAUSE_END = /[,:]\s+|\s+[-–—]+\s+/
const NO = /^(?:no|nope|nein|non)[,.!]+\s*/i
const NOT_OWN = /^\s*(?:>|[-*•]\s|\d+[.)]\s|["“„«].*["”“»][.!?]?$)/
const END_CHARS = 1000
const MAX_SENTENCE_CHARS = 200
