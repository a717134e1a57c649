import type { Hit } from "../../knowledge/recall/recall.ts"
import { isCommonWord } from "../../shared/text/tokens.ts"
import { isAsking } from "./asking.ts"

/** Whose words were looked for. */
export type Asker = keyof typeof BARS

type Scored = Pick<Hit, "words" | "worth" | "share" | "score">

/** Those that the words are clearly about, the best first. Most messages are about none. */
export function clearHits<T extends Scored>(hits: readonly T[], asker: Asker, text: string): T[] {
  const isMeant = asker === "task" || isAsking(text)
  const clear = hits.filter((hit) => isClear(hit, BARS[asker]) && (isMeant || isSaid(hit)))
  const least = (clear[0]?.score ?? 0) * NEAR_BEST
  return clear.filter(({ score }) => score >= least)
}

/** The words that brought it, for people and the model. */
export function wordsReason({ words }: Pick<Hit, "words">, asker: Asker): string {
  return `${NAMES[asker]}: ${distinct(words).slice(0, MAX_WORDS).join(", ")}`
}

function isClear({ words, worth, share }: Scored, bars: Bars): boolean {
  const count = distinct(words).length
  if (count === 0) return false
  if (count === 1) return worth >= bars.one && share >= MOST
  return worth >= (share >= HALF ? bars.half : bars.several) && share >= bars.share
}

/**
 * Nobody has asked, so it takes a word that says what it is about. Words of everyday English are in any message ("good catch",
 * "put that into a separate file"); it takes several, and most of what was said.
 */
function isSaid({ words, worth, share }: Scored): boolean {
  if (words.some((word) => !isCommonWord(word.toLowerCase()))) return true
  return distinct(words).length > 1 && worth >= EVERYDAY && share >= HALF
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words.map((word) => word.toLowerCase()))]
}

interface Bars {
  /** The least that a single word has to be worth, where it is most of what was asked; 1 is one that no other mem has. */
  one: number
  /** And several together. */
  several: number
  /** Where they are half of all that was asked: in a project about one thing, all its words are common. */
  half: number
  /** The least share of all that was asked. */
  share: number
}

const BARS = {
  message: { one: 0.55, several: 1.1, half: 0.7, share: 0.15 },
  // Nobody has asked for it in these words, so more of them have to fit.
  task: { one: Number.POSITIVE_INFINITY, several: 1.5, half: 1.5, share: 0.2 },
}
const NAMES = { message: "words", task: "the task's words" }
const MOST = 0.4
const HALF = 0.5
const EVERYDAY = 1.5
const MAX_WORDS = 5
// What fits much less well than the best is about something else.
const NEAR_BEST = 0.4
