import { compare } from "../../graph/by-age.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { canBeTakenUp, isDonePhase, isOpenPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { firstBy } from "../../shared/first-by.ts"
import type { Pausing } from "../../shared/slices.ts"
import { LOOSE_RULES } from "./loose-requests.ts"
import { MOVES } from "./move-words.ts"
import * as orders from "./request-words.ts"
import { requestsIn } from "./requests.ts"
import * as told from "./told-words.ts"
import type { Request } from "./wanted.ts"

export interface Shift {
  kind: "phase" | "task"
  id: string
  title: string
  planId: string
  phaseId: string
  score: number
}

/**
 * Where the user's words point, if they plainly ask for something to be done now (`requests.ts`) and one open task or phase
 * fits clearly better than the others and than where the session is. A wrong guess is easily taken back, but no guess is
 * better than a poor one: in `strict` it decides which writes are allowed.
 */
export function* findShift(
  state: GraphState,
  head: Trajectory | undefined,
  text: string,
): Pausing<Shift | undefined> {
  // The first message comes right behind the loading of the graph, in the same turn of the event loop.
  yield
  yield* readyRules()
  const requests = requestsIn(text)
  yield
  // One by one, and what they say together: "paging and filters" are two clauses.
  const together: Request = { text: requests.map((each) => each.text).join(" "), isName: false }
  for (const request of requests.length > 1 ? [...requests, together] : requests) {
    const words = wordsOf(request.text)
    const best = words.size === 0 ? undefined : yield* clearlyBest(state, words)
    if (best === undefined || !isMeant(request, words, wordsOf(best.title))) continue
    const isHere =
      head?.active_task_ids.includes(best.id) || (best.kind === "phase" && head?.active_phase_id === best.id)
    return isHere ? undefined : best
  }
  return undefined
}

let areRulesReady = false

/**
 * A long pattern is compiled when it is first used, and once more, to run faster, when it is used again; all of them at once
 * would hold up the first message.
 */
function* readyRules(): Pausing<void> {
  if (areRulesReady) return
  areRulesReady = true
  for (const rule of [...Object.values(orders), ...Object.values(told), MOVES, LOOSE_RULES].flat()) {
    if (!(rule instanceof RegExp)) continue
    for (let use = 0; use < 2; use++) {
      rule.test("go on with it")
      yield
    }
  }
}

/** A name has to be that of the task; of an order, the thing itself has to be in the title, not only where it belongs. */
function isMeant(
  { isName, isWhole, core, verb }: Request,
  words: ReadonlySet<string>,
  title: ReadonlySet<string>,
): boolean {
  if (verb !== undefined && shareIn(wordsOf(verb), title) < 1) return false
  if (isWhole && shareIn(title, words) < WHOLE_SHARE) return false
  if (isName) return shareIn(words, title) >= NAMED_SHARE
  const thing = wordsOf(core ?? "")
  return thing.size === 0 || shareIn(thing, title) > 0
}

function* clearlyBest(state: GraphState, words: ReadonlySet<string>): Pausing<Shift | undefined> {
  const [best, ...others] = yield* firstBy(byScore, RIVALS, [
    ...(yield* fittingTasks(state, words)),
    ...fittingPhases(state, words),
  ])
  if (best === undefined || best.score < THRESHOLD) return undefined
  // A phase is no rival of its own task.
  const rival = others.find(({ id, phaseId }) => id !== best.phaseId && phaseId !== best.id)
  return best.score < (rival?.score ?? 0) * CLEARLY ? undefined : best
}

/** Tasks that can be taken up and have a word of the user's in their title. There can be very many open tasks. */
function* fittingTasks(state: GraphState, words: ReadonlySet<string>): Pausing<Shift[]> {
  const found: Shift[] = []
  let at = 0
  for (const task of openTasks(state)) {
    if (++at % PAUSE_EVERY === 0) yield
    const { id, title, parent_plan_id: planId, parent_phase_id: phaseId } = task
    if (!mayFit(title, words) || isUnplanned(task) || !isOpenPlan(state.plan.get(planId))) continue
    const score = overlap(words, wordsOf(title))
    if (score > 0) found.push({ kind: "task", id, title, planId, phaseId, score })
  }
  return found
}

/** As they are now: while somebody walks over them with pauses, they may change. */
function* openTasks(state: GraphState): Generator<Task> {
  const groups = statusesWhere(canBeTakenUp).map((status) => state.task.by("status", status).snapshot())
  for (const group of groups) yield* group
}

function fittingPhases(state: GraphState, words: ReadonlySet<string>): Shift[] {
  const found: Shift[] = []
  for (const phase of state.phase.values()) {
    const { id, title, parent_plan_id: planId } = phase
    if (phase.inbox || isDonePhase(phase) || !mayFit(title, words) || !isOpenPlan(state.plan.get(planId)))
      continue
    // Where both fit alike, the task wins over its phase.
    const score = overlap(words, wordsOf(title)) * PHASE_WEIGHT
    if (score > 0) found.push({ kind: "phase", id, title, planId, phaseId: id, score })
  }
  return found
}

function byScore(a: Shift, b: Shift): number {
  return b.score - a.score || compare(a.id, b.id)
}

/** A quick look that spares most titles a closer one. */
function mayFit(title: string, words: ReadonlySet<string>): boolean {
  const small = title.toLowerCase()
  for (const word of words)
    if (small.includes(word.slice(0, SAME_CHARS)) || small.includes(word.slice(-SAME_END_CHARS))) return true
  return false
}

/**
 * How much of the title was said, and how much of what was said is in the title: "the invoices" is little of a long title,
 * and all that the user said. Longer words weigh more: they are rarer.
 */
function overlap(said: ReadonlySet<string>, title: ReadonlySet<string>): number {
  return (shareIn(title, said) + shareIn(said, title)) / 2
}

function shareIn(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let all = 0
  let common = 0
  for (const word of words) {
    const weight = Math.min(word.length, 8)
    all += weight
    if ([...others].some((other) => isSame(word, other))) common += weight
  }
  return all === 0 ? 0 : common / all
}

/**
 * "invoice" and "invoicing", "Rechnung" and "Rechnungsdruck": most of the shorter one is how the longer one begins. Or it is how
 * the longer one ends: "Ausweis" and "Bibliotheksausweis".
 */
function isSame(one: string, other: string): boolean {
  if (one === other) return true
  const shorter = Math.min(one.length, other.length)
  if (shorter < SAME_CHARS) return false
  if (shorter >= SAME_END_CHARS && (one.endsWith(other) || other.endsWith(one))) return true
  let same = 0
  while (same < shorter && one[same] === other[same]) same++
  return same >= SAME_CHARS && same >= shorter * SAME_SHARE
}

function wordsOf(text: string): Set<string> {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => (HAN.test(word) ? pairsOf(word) : [word]))
  return new Set(words.filter((word) => word.length > 1 && !COMMON.has(word)).map(stem))
}

/** Words without blanks between them: every two characters are one. */
function pairsOf(word: string): string[] {
  const chars = [...word]
  return chars.length < 2 ? [] : chars.slice(1).map((char, at) => `${chars[at]}${char}`)
}

/** "pages", "paging" and "page" are one word here, and so are "scan" and "scanning". */
function stem(word: string): string {
  if (word.length <= 3) return word
  return word
    .replace(/(?<=ing|er)s$/, "")
    .replace(/(ing|ies|es|ed|s|e)$/, "")
    .replace(/([bdfgmnprt])\1$/, "$1")
}

const COMMON = new Set(
  `a about all an and any are as at be before but by can code do does for from go have i in into is it its let lets me more my need no now of
   on one or our part please so some stuff done bug bugs test tests task tasks that the their them then there thing things this to up us want we with work
   you your am an auf bei da das dem den der des die dies diese du ein eine einen einer es für im in ist mit mal sache uns und
   kümmern vornehmen anschauen ansehen vorziehen dazwischenschieben einschieben repariert weiter weitermachen vom von zu zum zur vor noch schnell de het een van op te voor met maar even le la les un une du
   des en au aux sur el los las del al una para con`.split(/\s+/),
)
const HAN = /\p{Script=Han}/u
const THRESHOLD = 0.4
const CLEARLY = 1.2
const PHASE_WEIGHT = 0.9
const PAUSE_EVERY = 200
// Enough to have one among them that is no phase of the best.
const RIVALS = 4
// A name has to be that of the task: what else is said may be about something else.
const NAMED_SHARE = 0.75
const WHOLE_SHARE = 0.4
const SAME_CHARS = 5
const SAME_END_CHARS = 6
const SAME_SHARE = 0.75
