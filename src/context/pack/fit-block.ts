import { element, openTag } from "../../shared/text/clean.ts"
import { countTokens, type Vocabulary } from "../../shared/text/tokens.ts"
import {
  type Dropped,
  droppedItems,
  type Fitted,
  factsOf,
  fitItems,
  type Item,
  type ItemFacts,
  refOf,
  type Section,
  sections,
} from "./item.ts"

export interface PackedItem extends ItemFacts {
  tokens: number
  text: string
  /** Its longest wording. */
  full: string
}

/** The block that the model reads. */
export interface Block {
  xml: string
  items: PackedItem[]
  dropped: Dropped[]
  tokens: number
}

/** The element around the items. */
export interface Frame {
  tag: string
  attributes: Record<string, string | undefined>
  /** How to get the items that were left out. */
  more: string | undefined
}

/** Renders items into a block of at most `budget` tokens, with all tags and the note on omitted items. */
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

function renderBlock({ tag, attributes, more }: Frame, fitted: Fitted<Item>[], dropped: Dropped[]): string {
  const lines = sections.flatMap((section) => {
    const texts = fitted.filter(({ item }) => item.section === section).map(({ text }) => text)
    if (texts.length === 0) return []
    return WRAPPED.has(section) ? [`<${section}>`, ...texts, `</${section}>`] : texts
  })
  return [openTag(tag, attributes), ...lines, ...leftOut(dropped, more), `</${tag}>`].join("\n")
}

/** Counts items that are not shown; invalidated mems are not missed. */
function leftOut(dropped: Dropped[], more: string | undefined): string[] {
  const counts: Record<string, number> = {}
  for (const { section, reason, count } of dropped)
    if (reason !== "invalidated") counts[section] = (counts[section] ?? 0) + count
  return Object.keys(counts).length === 0 ? [] : [element("left_out", { ...counts, more })]
}

function droppedBy(vanished: Item[]): Dropped[] {
  const bySection = new Map<Section, Item[]>()
  for (const item of vanished) bySection.set(item.section, [...(bySection.get(item.section) ?? []), item])
  return [...bySection].map(([section, items]) =>
    droppedItems(section, "no room in the budget", items, refOf),
  )
}

function packedItem({ item, text, tokens }: Fitted<Item>): PackedItem {
  return { ...factsOf(item), tokens, text, full: item.render(0) }
}

/** Tokens for the block: a share of the model's window within bounds, half of that for a subagent. */
export function budgetFor(window: number | undefined, share: number, isScoped = false): number {
  const wanted = Math.floor((window ?? ASSUMED_WINDOW) * Math.min(share, MAX_SHARE))
  const isDefault = share <= DEFAULT_SHARE
  const bounded = Math.max(MIN_TOKENS, isDefault ? Math.min(wanted, MAX_TOKENS) : wanted)
  // In a very small window even the minimum would be too much.
  const fitting = window === undefined ? bounded : Math.min(bounded, Math.floor(window * MAX_SHARE))
  return isScoped ? Math.floor(fitting / 2) : fitting
}

export const DEFAULT_SHARE = 0.03
const MAX_SHARE = 0.15
const MIN_TOKENS = 3750
const MAX_TOKENS = 8000
const ASSUMED_WINDOW = 128_000
const WRAPPED = new Set<Section>([
  "rules",
  "turning_points",
  "mems",
  "anti_patterns",
  "anchors",
  "delegations",
  "warnings",
])
// For the tags around sections.
const SECTION_TOKENS = 60
const FULL_NOTE: Dropped[] = sections.map((section) => ({ section, reason: "", count: 1000, examples: [] }))
