import type { Hit } from "../../knowledge/recall/recall.ts"

/** Whose words were looked for. */
export type Asker = keyof typeof BARS

type Scored = Pick<Hit, "words" | "worth" | "share" | "score">

/** Those that the words are clearly about, the best first. Most messages are about none. */
export function clearHits<T extends Scored>(hits: readonly T[], asker: Asker): T[] {
  const clear = hits.filter((hit) => isClear(hit, BARS[asker]))
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
  return count === 1 ? worth >= bars.one && share >= MOST : worth >= bars.several && share >= bars.share
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words.map((word) => word.toLowerCase()))]
}

interface Bars {
  /** The least that a single word has to be worth, where it is most of what was asked; 1 is one that no other mem has. */
  one: number
  /** And several together. */
  several: number
  /** The least share of all that was asked. */
  share: number
}

const BARS = {
  message: { one: 0.55, several: 1.1, share: 0.15 },
  // Nobody has asked for it in these words, so more of them have to fit.
  task: { one: Number.POSITIVE_INFINITY, several: 1.5, share: 0.2 },
}
const NAMES = { message: "words", task: "the task's words" }
const MOST = 0.4
const MAX_WORDS = 5
// What fits much less well than the best is about something else.
const NEAR_BEST = 0.4
