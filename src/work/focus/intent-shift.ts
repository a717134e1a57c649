import { isUnplanned } from "../../graph/inbox.ts"
import { canBeTakenUp, isOpenPlan } from "../../graph/lifecycle.ts"
import { nextTask } from "../../graph/next-task.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { namesOwnTool } from "../../shared/tool-names.ts"
import { orderIn, planStepIn, type Sentence, sentencesOf } from "./switch-order.ts"
import { phrasesOf, plainWords } from "./switch-words.ts"

/** `move`: the user orders a switch to the task by its name. `hint`: the message only resembles such an order. */
export interface IntentShift {
  action: "move" | "hint"
  task: Task
}

/**
 * Finds the other task that a user message asks for. Only a plain order that names the task moves the read-head: in
 * `strict` the read-head decides which writes are allowed, so a wrong move is worse than none.
 */
export function* findIntentShift(
  state: GraphState,
  session: string,
  message: string,
): Pausing<IntentShift | undefined> {
  // HiveMind's own commands move the read-head themselves.
  const sentences = namesOwnTool(message) ? [] : sentencesOf(message)
  const active = headOf(state, session)?.active_task_ids ?? []
  const step = sentences.map(planStepIn).find((each) => each !== undefined)
  if (step === "back to the plan" && active.some((id) => canBeTakenUp(state.task.get(id)))) return undefined
  const next = step && nextTask(state, session)
  if (next !== undefined) return { action: "move", task: next }
  const said = new Set(sentences.flatMap(({ words }) => [...words]))
  const matches: Match[] = []
  let looked = 0
  // Copies, because tasks may change between two pauses.
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
  // Two tasks that are named alike: neither is meant clearly.
  const isClear = others.every(({ task, share }) => task === best?.task || share < (best?.share ?? 0))
  return best !== undefined && isClear && !active.includes(best.task.id) ? best : undefined
}

interface TaskName {
  /** Words of the title that tell it apart from others. */
  words: string[]
  /** "" where it has none that is known. */
  verb: string
  /** The task's id, and ticket numbers in its title. */
  ids: string[]
}

/** Kept as long as the task: there can be very many, and each message asks for all. */
const names = new WeakMap<Task, TaskName>()

function nameOf(task: Task): TaskName {
  const known = names.get(task)
  if (known !== undefined) return known
  const all = new Set(plainWords(task.title).split(" "))
  const words = [...all].filter((word) => word !== "" && !FILLERS.has(word))
  const verb = words.find((word, n) => (n === 0 ? TITLE_VERBS : TITLE_ENDS).has(word)) ?? ""
  const ids = [task.id, shortId(task.id), ...words.filter((word) => TICKET.test(word))]
  names.set(task, { words, verb, ids })
  return { words, verb, ids }
}

function isHalfSaid({ words, ids }: TaskName, said: ReadonlySet<string>): boolean {
  return words.filter((word) => said.has(word)).length * 2 >= words.length || ids.some((id) => said.has(id))
}

interface Match extends IntentShift {
  /** How much of the name was said, 0 to 1. */
  share: number
}

function matchIn(sentence: Sentence, task: Task, { words, verb, ids }: TaskName): Match[] {
  const order = orderIn(sentence, new Set([...words, ...ids]), verb)
  const said = order?.words ?? sentence.words
  // A verb of switching, or "do", stands in for the title's own verb.
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
const TICKET = /^[a-z]{2,9}-\d+$/
const PAUSE_EVERY = 200
// Of four words one may be missing.
const NEARLY_WHOLE = 0.75
// One word can mean anything: "switch to main".
const MIN_WORDS = 2
