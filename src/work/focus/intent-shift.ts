import { compare } from "../../graph/by-age.ts"
import { canBeTakenUp, isDonePhase, isOpenPlan } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { firstBy } from "../../shared/first-by.ts"
import type { Pausing } from "../../shared/slices.ts"

export interface Shift {
  kind: "phase" | "task"
  id: string
  title: string
  planId: string
  phaseId: string
  score: number
}

/**
 * Where the user's words point, if they say that the plan changes ("wait, fix the UI first") and one open task or
 * phase fits clearly better than the others and than where the session is. A wrong guess is easily taken back, but no
 * guess is better than a poor one.
 */
export function* findShift(
  state: GraphState,
  head: Trajectory | undefined,
  text: string,
): Pausing<Shift | undefined> {
  if (!CUE.test(text)) return undefined
  const words = wordsOf(text)
  if (words.size === 0) return undefined
  const [best, second] = yield* firstBy(byScore, 2, [
    ...(yield* fittingTasks(state, words)),
    ...fittingPhases(state, words),
  ])
  if (best === undefined || best.score < THRESHOLD) return undefined
  const rival = second !== undefined && second.phaseId !== best.phaseId ? second.score : 0
  if (best.score < rival * CLEARLY) return undefined
  const isHere =
    head?.active_task_ids.includes(best.id) || (best.kind === "phase" && head?.active_phase_id === best.id)
  return isHere ? undefined : best
}

/** Tasks that can be taken up and have a word of the user's in their title. There can be very many open tasks. */
function* fittingTasks(state: GraphState, words: ReadonlySet<string>): Pausing<Shift[]> {
  const found: Shift[] = []
  const open = statusesWhere(canBeTakenUp).flatMap((status) => [...state.task.by("status", status)])
  for (const [at, task] of open.entries()) {
    if (at % PAUSE_EVERY === PAUSE_EVERY - 1) yield
    const { id, title, parent_plan_id: planId, parent_phase_id: phaseId } = task
    if (!mayFit(title, words) || !isOpenPlan(state.plan.get(planId))) continue
    const score = overlap(words, wordsOf(title))
    if (score > 0) found.push({ kind: "task", id, title, planId, phaseId, score })
  }
  return found
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
  for (const word of words) if (small.includes(word)) return true
  return false
}

/** The share of the title's words that the user said. Longer words weigh more: they are rarer. */
function overlap(said: ReadonlySet<string>, title: ReadonlySet<string>): number {
  let all = 0
  let common = 0
  for (const word of title) {
    const weight = Math.min(word.length, 8)
    all += weight
    if (said.has(word)) common += weight
  }
  return all === 0 ? 0 : common / all
}

function wordsOf(text: string): Set<string> {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return new Set(words.filter((word) => word.length > 1 && !COMMON.has(word)).map(stem))
}

/** "pages", "paging" and "page" are one word here. */
function stem(word: string): string {
  if (word.length <= 3) return word
  return word.replace(/(ing|ies|es|ed|s|e)$/, "")
}

const CUE =
  /\b(wait|hold on|stop|instead|first|actually|switch|before that|rather|forget|leave that|go back|let'?s (do|fix|work|move|get)|move (on )?to|focus on|next up|change of plan|priorit\w+)\b/i
const COMMON = new Set(
  "a an and are as at be but by can do does first fix for from go have i in instead is it its let lets make me move my no not now of on or our please so stop switch task that the then there this to up us wait want we with work you your".split(
    " ",
  ),
)
const THRESHOLD = 0.34
const CLEARLY = 1.25
const PHASE_WEIGHT = 0.9
const PAUSE_EVERY = 200
