import type { Hit } from "../../knowledge/recall/recall.ts"
import { asksWhy, isAsking } from "../../knowledge/words/question.ts"
import { isCommonWord } from "../../shared/text/tokens.ts"

/** Where the words come from: a message, a question why something was decided or is so, a question about a fault, or a task. */
export type Asker = "message" | "why" | "state" | "fault" | "task"

type Scored = Pick<Hit, "words" | "worth" | "share" | "score">

/** The hits that match strongly, best first; most messages have none. Notes (see `isNote`) need a better match than decisions. */
export function strongMatches<T extends Scored>(
  hits: readonly T[],
  asker: Asker,
  text: string,
  isNote: (hit: T) => boolean = () => false,
): T[] {
  const isMeant = asker !== "message" || isAsking(text)
  const bars = isMeant ? BARS[asker] : BARS.request
  const noteBars = barsOfNotes(asker, text) ?? bars
  const barsFor = (hit: T) => (isNote(hit) ? noteBars : bars)
  const isWhy = asker === "why"
  const isFit = (hit: T) =>
    isClear(hit, barsFor(hit), isWhy && isOnlyOne(hit, hits)) && (isWhy || isTelling(hit, asker))
  const clear = hits.filter((hit) => isFit(hit) && (isMeant || isSaid(hit)))
  const least = (clear[0]?.score ?? 0) * NEAR_BEST
  return clear.filter(({ score }) => score >= least)
}

function barsOfNotes(asker: Asker, text: string): Bars | undefined {
  if (asker === "state") return BARS.fault
  if (asker !== "message") return undefined
  if (!isAsking(text)) return BARS.noteOfRequest
  return asksWhy(text) ? BARS.noteOfWhy : undefined
}

export function wordsReason({ words, near }: Pick<Hit, "words" | "near">, asker: Asker): string {
  return `${NAMES[asker]}: ${[...distinct(words), ...near].slice(0, MAX_WORDS).join(", ")}`
}

function isOnlyOne(hit: Scored, hits: readonly Scored[]): boolean {
  const said = new Set(distinct(hit.words))
  return !hits.some((other) => other !== hit && distinct(other.words).some((word) => said.has(word)))
}

function isClear({ words, worth, share }: Scored, bars: Bars, isOnly: boolean): boolean {
  const count = distinct(words).length
  if (count === 0) return false
  const isNamed = words.some(isName) && share >= bars.share
  if (isNamed && worth >= bars.named) return true
  const isEveryday = words.every((word) => isCommonWord(word.toLowerCase()))
  const least = isEveryday ? bars.most : (bars.telling ?? bars.most)
  if (count === 1) return worth >= bars.one && (isOnly ? shareOfOnly(worth, share) : share) >= least
  if (count < MANY && worth < bars.everyday && isEveryday) return false
  return worth >= (share >= HALF ? bars.half : bars.several) && share >= bars.share
}

/** For the only decision with a word: the word's share of the query if notes that have the word too are not counted. */
const shareOfOnly = (worth: number, share: number): number => 1 / (1 + worth / share - worth)

/** False for a single common word (`status`), unless the word is in a message and rare among the mems. */
function isTelling({ words, worth }: Scored, asker: Asker): boolean {
  const said = distinct(words)
  return said.length > 1 || (worth >= RARE && asker === "message") || said.some((word) => !isCommonWord(word))
}

/** For messages that are no question: true for an uncommon word, or several common ones that are half of the message. */
function isSaid({ words, worth, share }: Scored): boolean {
  if (words.some((word) => !isCommonWord(word.toLowerCase()))) return true
  return distinct(words).length > 1 && worth >= EVERYDAY && share >= HALF
}

/** True for names such as `CLIEngine`, `no-unused-vars` or `x/params`. */
const isName = (word: string): boolean => NAME.test(word) && !isCommonWord(word.toLowerCase())

const distinct = (words: readonly string[]): string[] => [...new Set(words.map((word) => word.toLowerCase()))]

/** Thresholds of a match. Worth: the words' rarity, 1 for a word that no other mem has. Share: of the query, 0 to 1. */
interface Bars {
  /** Least worth of a single word. */
  one: number
  /** Least share of a single word; for an uncommon word, `telling` counts instead. */
  most: number
  telling?: number
  /** Least worth of several words; if they make up half of the query, `half` counts instead. */
  several: number
  half: number
  /** Least share of several words. */
  share: number
  /** Least worth if a name is among the words. */
  named: number
  /** Least worth of several common words. */
  everyday: number
}

const NEVER = Number.POSITIVE_INFINITY
const BARS: Record<Asker | "request" | "noteOfWhy" | "noteOfRequest", Bars> = {
  message: { one: 0.55, most: 0.4, several: 1.1, half: 0.7, share: 0.15, named: 0.6, everyday: 0 },
  // A message that is not a question.
  request: { one: 0.9, most: 0.5, several: 1.7, half: 1.5, share: 0.15, named: 0.9, everyday: 0 },
  // Decisions and false paths for a "why" question.
  why: { one: 0.4, most: 0.36, telling: 0.18, several: 0.6, half: 0.4, share: 0.3, named: 0.4, everyday: 0 },
  // A question why something is so: it may have been decided, or may be a fault.
  state: { one: 0.9, most: 0.5, several: 1.3, half: 1.1, share: 0.32, named: 0.8, everyday: 1.1 },
  // Notes for a "why" question; they seldom give the reason.
  noteOfWhy: { one: 0.8, most: 0.5, several: 1.1, half: 0.7, share: 0.15, named: 0.8, everyday: 1.3 },
  // A fault is no decision, so a mem only matches if it is about exactly that fault.
  fault: { one: 1, most: 0.5, several: 1.6, half: 1.45, share: 0.5, named: 0.9, everyday: 1.7 },
  // Notes for a request: half the notes of a project share a word or two with any request.
  noteOfRequest: { one: NEVER, most: 1, several: 1.5, half: 1.5, share: 0.2, named: 0.9, everyday: 0 },
  // The user did not choose these words, so more of them have to match.
  task: { one: NEVER, most: 1, several: 1.5, half: 1.5, share: 0.2, named: NEVER, everyday: 0 },
}
const NAMES = { message: "words", why: "words", state: "words", fault: "words", task: "the task's words" }
const NAME = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|[_./-]/u
const MANY = 3
const HALF = 0.5
const EVERYDAY = 1.5
const RARE = 0.95
const MAX_WORDS = 5
const NEAR_BEST = 0.4
