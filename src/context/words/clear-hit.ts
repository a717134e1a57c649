import { asksWhy } from "../../knowledge/recall/asks-why.ts"
import type { Hit } from "../../knowledge/recall/recall.ts"
import { isCommonWord } from "../../shared/text/tokens.ts"
import { isAsking } from "./asking.ts"

/** Whose words were looked for. */
export type Asker = "message" | "why" | "state" | "fault" | "task"

type Scored = Pick<Hit, "words" | "worth" | "share" | "score">

/**
 * Those that the words are clearly about, the best first. Most messages are about none. Of a note, a message that asks for
 * nothing has to have as much as a task.
 */
export function clearHits<T extends Scored>(
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

/** The words that brought it, for people and the model. */
export function wordsReason({ words, near }: Pick<Hit, "words" | "near">, asker: Asker): string {
  return `${NAMES[asker]}: ${[...distinct(words), ...near].slice(0, MAX_WORDS).join(", ")}`
}

/** No other of them has a word of it. */
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

/** As if notes did not count, where many have the word: of those that say why, it is the only one. */
function shareOfOnly(worth: number, share: number): number {
  return 1 / (1 + worth / share - worth)
}

/** A single word of everyday English, or of everyday work (`status`, `response`), says little of what is meant: few may have it. */
function isTelling({ words, worth }: Scored, asker: Asker): boolean {
  const said = distinct(words)
  return said.length > 1 || (worth >= RARE && asker === "message") || said.some((word) => !isCommonWord(word))
}

/**
 * Nobody has asked, so it takes a word that says what it is about. Words of everyday English are in any message ("good catch",
 * "put that into a separate file"); it takes several, and most of what was said.
 */
function isSaid({ words, worth, share }: Scored): boolean {
  if (words.some((word) => !isCommonWord(word.toLowerCase()))) return true
  return distinct(words).length > 1 && worth >= EVERYDAY && share >= HALF
}

/** `CLIEngine`, `no-unused-vars`, `x/params`: nobody says it but who means it. */
function isName(word: string): boolean {
  return NAME.test(word) && !isCommonWord(word.toLowerCase())
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words.map((word) => word.toLowerCase()))]
}

interface Bars {
  /** The least that a single word has to be worth, where it is most of what was asked; 1 is one that no other mem has. */
  one: number
  /** The least share of what was asked that it has to be. */
  most: number
  /** And where it is no word of everyday English or everyday work. */
  telling?: number
  /** And several together. */
  several: number
  /** Where they are half of all that was asked: in a project about one thing, all its words are common. */
  half: number
  /** The least share of all that was asked. */
  share: number
  /** Where a name is among them. */
  named: number
  /** Several words of everyday English or everyday work. */
  everyday: number
}

const BARS: Record<Asker | "request" | "noteOfWhy" | "noteOfRequest", Bars> = {
  message: { one: 0.55, most: 0.4, several: 1.1, half: 0.7, share: 0.15, named: 0.6, everyday: 0 },
  // Nobody has asked.
  request: { one: 0.9, most: 0.5, several: 1.7, half: 1.5, share: 0.15, named: 0.9, everyday: 0 },
  // Of what was decided and tried, asked for its reason. Most questions that nobody has answered share a word with something.
  why: {
    one: 0.4,
    most: 0.36,
    telling: 0.18,
    several: 0.6,
    half: 0.4,
    share: 0.3,
    named: 0.4,
    everyday: 0,
  },
  // Asked why something is as it is: that may have been decided, or may be a fault. It takes about half of what was said.
  state: { one: 0.9, most: 0.5, several: 1.3, half: 1.1, share: 0.32, named: 0.8, everyday: 1.1 },
  // What was noted seldom says why.
  noteOfWhy: { one: 0.8, most: 0.5, several: 1.1, half: 0.7, share: 0.15, named: 0.8, everyday: 1.3 },
  // Nobody has decided a fault, so a mem has to be about the very thing.
  fault: { one: 1, most: 0.5, several: 1.6, half: 1.45, share: 0.5, named: 0.9, everyday: 1.7 },
  // Half the notes of a project share a word or two with any request.
  noteOfRequest: {
    one: Number.POSITIVE_INFINITY,
    most: 1,
    several: 1.5,
    half: 1.5,
    share: 0.2,
    named: 0.9,
    everyday: 0,
  },
  // Nobody has asked for it in these words, so more of them have to fit.
  task: {
    one: Number.POSITIVE_INFINITY,
    most: 1,
    several: 1.5,
    half: 1.5,
    share: 0.2,
    named: Number.POSITIVE_INFINITY,
    everyday: 0,
  },
}
const NAMES = { message: "words", why: "words", state: "words", fault: "words", task: "the task's words" }
const NAME = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|[_./-]/u
const MANY = 3
const HALF = 0.5
const EVERYDAY = 1.5
const RARE = 0.95
const MAX_WORDS = 5
// What fits much less well than the best is about something else.
const NEAR_BEST = 0.4
