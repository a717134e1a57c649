/**
 * A short prompt ("go on") says little: the model gets a line on where it stands. Long prompts add up, because each
 * pulls the conversation away from the last full state; at the threshold the state is said again in full.
 */
export interface PromptScore {
  isShort: boolean
  score: number
  /** The score has reached the threshold: time for a fresh keyframe. It starts again from 0. */
  purify: boolean
}

export function scorePrompt(text: string, before: number): PromptScore {
  const words = text.split(/\s+/).filter(Boolean).length
  const decayed = before * DECAY_PER_PROMPT
  if (words < SHORT_WORDS) return { isShort: true, score: decayed, purify: false }
  const added = words > LONG_WORDS ? Math.min(MAX_ADDED, words - LONG_WORDS) : 0
  const score = decayed + added
  return score >= PURIFY_AT
    ? { isShort: false, score: 0, purify: true }
    : { isShort: false, score, purify: false }
}

const SHORT_WORDS = 20
const LONG_WORDS = 30
const MAX_ADDED = 60
const DECAY_PER_PROMPT = 0.9
const PURIFY_AT = 100
