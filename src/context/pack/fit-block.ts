import { element, openTag } from "../../shared/text/clean.ts"
import { countTokens, type Vocabulary } from "../../shared/text/tokens.ts"
import {
  type Dropped,
  factsOf,
  type Item,
  type ItemFacts,
  MAX_EXAMPLES,
  refOf,
  type Section,
  sections,
} from "./item.ts"

export interface PackedItem extends ItemFacts {
  tokens: number
  text: string
  full: string
}

export interface Block {
  xml: string
  items: PackedItem[]
  dropped: Dropped[]
  tokens: number
}

interface Frame {
  tag: string
  attributes: Record<string, string | undefined>
  more: string | undefined
}

/** Renders items into a block of at most `budget` tokens, including all tags and the note on omitted items. */
export function fitBlock(
  frame: Frame,
  items: Item[],
  dropped: Dropped[],
  budget: number,
  vocabulary: Vocabulary = "any",
): Block {
  const empty = renderBlock(frame, [], [...dropped, ...FULL_NOTE])
  let room = budget - countTokens(empty, vocabulary) - SECTION_TOKENS
  for (;;) {
    const { fitted, vanished } = fitItems(items, Math.max(0, room), vocabulary)
    const all = [...dropped, ...droppedBy(vanished)]
    const xml = renderBlock(frame, fitted, all)
    const tokens = countTokens(xml, vocabulary)
    if (tokens <= budget) return { xml, items: fitted.map(packedItem), dropped: all, tokens }
    // The budget is too small even for the frame.
    if (fitted.length === 0) return { xml: "", items: [], dropped: all, tokens: 0 }
    room -= tokens - budget + 1
  }
}

interface Fitted {
  item: Item
  text: string
  tokens: number
}

/** Shortens items until they fit, the least important first (of equals, the later); then drops items in the same order. */
function fitItems(
  items: readonly Item[],
  budget: number,
  vocabulary: Vocabulary,
): { fitted: Fitted[]; vanished: Item[] } {
  const known = new Map<Item, Fitted[]>()
  const wordingOf = (item: Item, level: number): Fitted => {
    const levels = known.get(item) ?? []
    known.set(item, levels)
    const text = levels[level]?.text ?? item.render(level)
    levels[level] ??= { item, text, tokens: countTokens(`${text}\n`, vocabulary) }
    return levels[level]
  }
  const chosen = new Map(items.map((item) => [item, wordingOf(item, 0)]))
  const leastFirst = items.toReversed().sort((a, b) => a.worth - b.worth)
  let total = [...chosen.values()].reduce((sum, { tokens }) => sum + tokens, 0)
  for (let level = 1; level < MAX_LEVELS; level++) {
    for (const item of leastFirst) {
      if (total <= budget) break
      if (level >= item.levels) continue
      const shorter = wordingOf(item, level)
      total += shorter.tokens - (chosen.get(item)?.tokens ?? 0)
      chosen.set(item, shorter)
    }
  }
  const vanished: Item[] = []
  for (const item of leastFirst) {
    if (total <= budget) break
    total -= chosen.get(item)?.tokens ?? 0
    chosen.delete(item)
    vanished.push(item)
  }
  return { fitted: [...chosen.values()], vanished }
}

function renderBlock({ tag, attributes, more }: Frame, fitted: Fitted[], dropped: Dropped[]): string {
  const lines = sections.flatMap((section) => {
    const texts = fitted.filter(({ item }) => item.section === section).map(({ text }) => text)
    if (texts.length === 0) return []
    return WRAPPED.has(section) ? [`<${section}>`, ...texts, `</${section}>`] : texts
  })
  return [openTag(tag, attributes), ...lines, ...leftOut(dropped, more), `</${tag}>`].join("\n")
}

/** Counts items that were left out; invalidated mems need no mention. */
function leftOut(dropped: Dropped[], more: string | undefined): string[] {
  const counts: Record<string, number> = {}
  for (const { section, reason, count } of dropped)
    if (reason !== "invalidated") counts[section] = (counts[section] ?? 0) + count
  return Object.keys(counts).length === 0 ? [] : [element("left_out", { ...counts, more })]
}

function droppedBy(vanished: Item[]): Dropped[] {
  return [...new Set(vanished.map(({ section }) => section))].map((section) => {
    const items = vanished.filter((item) => item.section === section)
    const examples = items.slice(0, MAX_EXAMPLES).map(refOf)
    return { section, reason: "no room in the budget", count: items.length, examples }
  })
}

function packedItem({ item, text, tokens }: Fitted): PackedItem {
  return { ...factsOf(item), tokens, text, full: item.render(0) }
}

/** The block's token budget: a share of the model's context window within bounds, half of that for a subagent. */
export function budgetFor(window: number | undefined, share = DEFAULT_SHARE, isScoped = false): number {
  const wanted = Math.floor((window ?? ASSUMED_WINDOW) * Math.min(share, MAX_SHARE))
  const isDefault = share <= DEFAULT_SHARE
  const bounded = Math.max(MIN_TOKENS, isDefault ? Math.min(wanted, MAX_TOKENS) : wanted)
  // In a very small context window, even the minimum would be more than its share.
  const fitting = window === undefined ? bounded : Math.min(bounded, Math.floor(window * MAX_SHARE))
  return isScoped ? Math.floor(fitting / 2) : fitting
}

const DEFAULT_SHARE = 0.03
const MAX_SHARE = 0.15
const MIN_TOKENS = 3750
const MAX_TOKENS = 8000
const ASSUMED_WINDOW = 128_000
const MAX_LEVELS = 3
const WRAPPED = new Set<Section>([
  "rules",
  "turning_points",
  "mems",
  "anti_patterns",
  "anchors",
  "delegations",
  "warnings",
])
const SECTION_TOKENS = 60
const FULL_NOTE: Dropped[] = sections.map((section) => ({ section, reason: "", count: 1000, examples: [] }))
