import { placeOf } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"

/**
 * A short prompt ("go on") says little: the model gets a line on where it is in the plan. Long prompts add up, because
 * each pulls the conversation away from the last full state; at the threshold the state is shown again in full, as soon as
 * that is worth its tokens.
 */
export interface PromptScore {
  isShort: boolean
  score: number
  /** The score has reached the threshold. It starts again from 0 when the whole state is shown. */
  needsKeyframe: boolean
}

export function scorePrompt(text: string, before: number): PromptScore {
  const words = text.split(/\s+/).filter(Boolean).length
  const decayed = before * DECAY_PER_PROMPT
  if (words < SHORT_WORDS) return { isShort: true, score: decayed, needsKeyframe: false }
  const added = words > LONG_WORDS ? Math.min(MAX_ADDED, words - LONG_WORDS) : 0
  const score = Math.min(KEYFRAME_SCORE, decayed + added)
  return { isShort: false, score, needsKeyframe: score >= KEYFRAME_SCORE }
}

/** The line for a short prompt; "" where the session is nowhere in a plan. */
export function flowLine(state: GraphState, head: Trajectory | undefined): string {
  const { plan, phase, tasks } = placeOf(state, head)
  const task = tasks[0]
  const titles = [plan?.title, phase?.inbox ? undefined : phase?.title, task?.title].filter(
    (title) => title !== undefined,
  )
  if (titles.length === 0) return ""
  const where = titles.map((title) => shorten(title, 60)).join(" › ")
  return element("flow", { task: task && shortId(task.id), status: task?.status }, where)
}

const SHORT_WORDS = 20
const LONG_WORDS = 30
const MAX_ADDED = 60
const DECAY_PER_PROMPT = 0.9
const KEYFRAME_SCORE = 100
