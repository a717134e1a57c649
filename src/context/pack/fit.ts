import { countTokens } from "../../shared/text/tokens.ts"
import type { Item } from "./item.ts"

interface Wording {
  text: string
  tokens: number
}

export interface Fitted extends Wording {
  item: Item
}

/**
 * Chooses a wording for each item so that all together cost at most `budget`. The least worth gives way first: it is
 * worded shorter, then shortest, and only when everything is at its shortest does anything vanish.
 */
export function fitItems(items: Item[], budget: number): { fitted: Fitted[]; vanished: Item[] } {
  const costs = new Map<Item, Wording[]>()
  const wordingOf = (item: Item, level: number): Wording => {
    const known = costs.get(item) ?? []
    costs.set(item, known)
    known[level] ??= wording(item, level)
    return known[level]
  }
  const costOf = (item: Item, level: number) => wordingOf(item, level).tokens
  const chosen = new Map(items.map((item) => [item, 0]))
  const poorestFirst = [...items].sort((a, b) => a.worth - b.worth || (a.key < b.key ? 1 : -1))
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
  const vanished: Item[] = []
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

function wording(item: Item, level: number): Wording {
  const text = item.render(level)
  return { text, tokens: countTokens(`${text}\n`) }
}

const MAX_LEVELS = 3
