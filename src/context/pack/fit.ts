import { countTokens, type Vocabulary } from "../../shared/text/tokens.ts"

/** Something that can be said in several lengths. */
export interface Wordable {
  /** Higher is kept longer when the budget is tight. */
  worth: number
  /** How many wordings there are, from the fullest to the tersest. */
  levels: number
  /** The element in one of its wordings; 0 is the fullest. */
  render: (level: number) => string
}

interface Wording {
  text: string
  tokens: number
}

export interface Fitted<T> extends Wording {
  item: T
}

/**
 * Chooses a wording for each item so that all together cost at most `budget`. The least worth gives way first, of equals
 * the later one: it is worded shorter, then shortest, and only when everything is at its shortest does anything vanish.
 */
export function fitItems<T extends Wordable>(
  items: readonly T[],
  budget: number,
  vocabulary: Vocabulary = "any",
): { fitted: Fitted<T>[]; vanished: T[] } {
  const wordingOf = wordingsByLevel<T>(vocabulary)
  const costOf = (item: T, level: number) => wordingOf(item, level).tokens
  const chosen = new Map(items.map((item) => [item, 0]))
  const poorestFirst = items.toReversed().sort((a, b) => a.worth - b.worth)
  let total = items.reduce((sum, item) => sum + costOf(item, 0), 0)

  for (let level = 1; level < MAX_LEVELS; level++) {
    for (const item of poorestFirst) {
      if (total <= budget) break
      const now = chosen.get(item) ?? 0
      if (level >= item.levels || now >= level) continue
      total += costOf(item, level) - costOf(item, now)
      chosen.set(item, level)
    }
  }
  const vanished: T[] = []
  for (const item of poorestFirst) {
    if (total <= budget) break
    total -= costOf(item, chosen.get(item) ?? 0)
    chosen.delete(item)
    vanished.push(item)
  }
  const fitted = items.flatMap((item) => {
    const level = chosen.get(item)
    return level === undefined ? [] : [{ item, ...wordingOf(item, level) }]
  })
  return { fitted, vanished }
}

/** Renders and counts each wording once. */
function wordingsByLevel<T extends Wordable>(vocabulary: Vocabulary): (item: T, level: number) => Wording {
  const known = new Map<T, Wording[]>()
  return (item, level) => {
    const levels = known.get(item) ?? []
    known.set(item, levels)
    levels[level] ??= wording(item, level, vocabulary)
    return levels[level]
  }
}

function wording(item: Wordable, level: number, vocabulary: Vocabulary): Wording {
  const text = item.render(level)
  return { text, tokens: countTokens(`${text}\n`, vocabulary) }
}

/** Wordings of falling length: one per width, in characters. */
export function wordings(
  widths: readonly number[],
  render: (max: number) => string,
): Pick<Wordable, "levels" | "render"> {
  return { levels: widths.length, render: (level) => render(widths[level] ?? 0) }
}

const MAX_LEVELS = 3
