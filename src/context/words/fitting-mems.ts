import { isRetiredMem } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import { type Hit, recall } from "../../knowledge/recall/recall.ts"
import type { RecalledMem } from "../pack/recalled.ts"
import { subjectOf } from "./work-words.ts"

/** The mems that a message or a task is clearly about, hot or archived, the best first. Most messages are about none. */
export async function fittingMems(hive: Hive, text: string, what: keyof typeof BARS): Promise<RecalledMem[]> {
  const subject = subjectOf(text)
  if (subject === "") return []
  const hits = await recall(hive, subject, { limit: MAX_HITS })
  const clear = hits.filter((hit) => !isRetiredMem(hit.mem) && isClear(hit, BARS[what]))
  const least = (clear[0]?.score ?? 0) * NEAR_BEST
  return clear
    .filter(({ score }) => score >= least)
    .map(({ mem, words, replaces }) => ({
      mem,
      reason: `${NAMES[what]}: ${distinct(words).slice(0, MAX_WORDS).join(", ")}${replaces === null ? "" : "; it replaces the one that has them"}`,
    }))
}

function isClear({ words, worth, share }: Hit, bars: Bars): boolean {
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
const MAX_HITS = 8
const MAX_WORDS = 5
// What fits much less well than the best is about something else.
const NEAR_BEST = 0.4
