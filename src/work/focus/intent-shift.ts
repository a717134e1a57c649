import { nextTask } from "../../graph/current-task.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { canBeTakenUp, isOpenPlan } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { namesOwnTool } from "../../shared/tool-names.ts"
import { anyOf, phrasesOf, plainWords } from "./switch-words.ts"

/** `move`: a clear order to switch to the task. `hint`: anything less, because a wrong move is worse than none. */
export interface IntentShift {
  action: "move" | "hint"
  task: Task
}

/** Finds the task that a message asks for. Only a clear order moves the read-head: by name, "next task", "back to the plan". */
export function* findIntentShift(
  state: GraphState,
  session: string,
  message: string,
): Pausing<IntentShift | undefined> {
  const sentences = namesOwnTool(message) ? [] : sentencesOf(message)
  const active = headOf(state, session)?.active_task_ids ?? []
  const step = sentences.map(planStepIn).find((each) => each !== undefined)
  if (step === "back to the plan" && active.some((id) => canBeTakenUp(state.task.get(id)))) return undefined
  const next = step && nextTask(state, session)
  if (next !== undefined) return { action: "move", task: next }
  const said = new Set(sentences.flatMap(({ words }) => [...words]))
  const matches: Match[] = []
  let looked = 0
  for (const group of statusesWhere(canBeTakenUp).map((status) => state.task.by("status", status).snapshot()))
    for (const task of group) {
      if (++looked % PAUSE_EVERY === 0) yield
      if (isUnplanned(task) || !isOpenPlan(state.plan.get(task.parent_plan_id))) continue
      const name = nameOf(task)
      if (!isHalfSaid(name, said)) continue
      matches.push(...sentences.flatMap((sentence) => matchIn(sentence, task, name)))
    }
  const moves = matches.filter(({ action }) => action === "move")
  const [best, ...others] = (moves.length > 0 ? moves : matches).toSorted((a, b) => b.share - a.share)
  // If two tasks match equally well, it is not clear which one is meant.
  const isClear = others.every(({ task, share }) => task === best?.task || share < (best?.share ?? 0))
  return best !== undefined && isClear && !active.includes(best.task.id) ? best : undefined
}

type TaskName = { words: string[]; verb: string; ids: string[] }

/** Cached by task, because there can be very many tasks, and each message is compared with all of them. */
const names = new WeakMap<Task, TaskName>()

function nameOf(task: Task): TaskName {
  const known = names.get(task)
  if (known !== undefined) return known
  const all = new Set(plainWords(task.title).split(" "))
  const words = [...all].filter((word) => word !== "" && !FILLERS.has(word))
  const verb = words.find((word, n) => (n === 0 ? TITLE_VERBS : TITLE_ENDS).has(word)) ?? ""
  const ids = [task.id, shortId(task.id), ...words.filter((word) => /^[a-z]{2,9}-\d+$/.test(word))]
  names.set(task, { words, verb, ids })
  return { words, verb, ids }
}

function isHalfSaid({ words, ids }: TaskName, said: ReadonlySet<string>): boolean {
  return words.filter((word) => said.has(word)).length * 2 >= words.length || ids.some((id) => said.has(id))
}

type Match = IntentShift & { share: number }

function matchIn(sentence: Sentence, task: Task, { words, verb, ids }: TaskName): Match[] {
  const order = orderIn(sentence, new Set([...words, ...ids]), verb)
  const said = order?.words ?? sentence.words
  // After "switch to" or "do", the message need not contain the verb of the title.
  const needed = words.filter((word) => word !== verb || order?.isByTitleVerb !== false)
  const count = (list: readonly string[]) => list.filter((word) => said.has(word)).length
  const isById = count(ids) > 0
  const share = isById ? 1 : count(needed) / Math.max(needed.length, 1)
  const isNamed = isById || (count(words) >= MIN_WORDS && share >= NEARLY_WHOLE)
  if (order !== undefined && isNamed) return [{ action: "move", task, share }]
  const isLikeOrder = sentence.canOrder && (sentence.resemblesOrder || said.has(verb))
  return order !== undefined || (isNamed && isLikeOrder) ? [{ action: "hint", task, share }] : []
}

const FILLERS = phrasesOf("filler")
const TITLE_VERBS = phrasesOf("titleVerb", "do")
const TITLE_ENDS = phrasesOf("titleEnd")
const PAUSE_EVERY = 200
// The share of a title's words that a message must have: one of four may be missing.
const NEARLY_WHOLE = 0.75
// A title of one word is never matched: "switch to main" can mean anything.
const MIN_WORDS = 2

interface Sentence {
  clauses: string[]
  words: ReadonlySet<string>
  /** False for a question other than "can you …?", and if a later clause withdraws or postpones the order. */
  canOrder: boolean
  /** True if the sentence before stops the current work: "Wait. Fix the UI." */
  isUrged: boolean
  resemblesOrder: boolean
}

/** The user's own sentences: without code, quotations, lists and the middle of a long message, which is mostly pasted. */
function sentencesOf(message: string): Sentence[] {
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

/** Whether a sentence, or its first clauses, orders the task with this name. */
function orderIn({ clauses, canOrder, isUrged }: Sentence, name: ReadonlySet<string>, titleVerb: string) {
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

function planStepIn({ clauses, canOrder }: Sentence): "next task" | "back to the plan" | undefined {
  const text = clauses.join(" ")
  const other = text.replace(PLAN_STEP, "")
  if (!canOrder || other === text || !saysNothingElse(other)) return undefined
  return NEXT_TASK.test(text) ? "next task" : "back to the plan"
}

function saysNothingElse(words: string): boolean {
  return words.replaceAll(KNOWN, "").trim() === ""
}

// At most 6, because "right now" matches as one phrase or as two: each repetition doubles the backtracking.
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
