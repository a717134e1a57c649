import { element, openTag } from "../../shared/text/element.ts"
import { countTokens, type Vocabulary } from "../../shared/text/tokens.ts"
import { type Fitted, fitItems } from "./fit.ts"
import {
  type Dropped,
  droppedItems,
  factsOf,
  type Item,
  type ItemFacts,
  refOf,
  type Section,
  sections,
} from "./item.ts"

export interface PackedItem extends ItemFacts {
  tokens: number
  text: string
  /** Its fullest wording: if that is the same, nothing about it has changed. */
  full: string
}

/** What the model reads, with what is in it and what is not. */
export interface Block {
  xml: string
  items: PackedItem[]
  dropped: Dropped[]
  tokens: number
}

/** The element around the items, and what it says to whoever wants more. */
export interface Frame {
  tag: string
  attributes: Record<string, string | undefined>
  more: string | undefined
}

/** Renders items into a block that costs at most `budget`, all counted: tags, and the note on what was left out. */
export function fitBlock(
  frame: Frame,
  items: Item[],
  dropped: Dropped[],
  budget: number,
  vocabulary: Vocabulary = "any",
): Block {
  const empty = renderBlock(frame, [], [...dropped, ...FRAME_DROPS])
  let room = budget - countTokens(empty, vocabulary) - SECTION_TOKENS
  for (;;) {
    const { fitted, vanished } = fitItems(items, Math.max(0, room), vocabulary)
    const all = [...dropped, ...droppedBy(vanished)]
    const xml = renderBlock(frame, fitted, all)
    const tokens = countTokens(xml, vocabulary)
    if (tokens <= budget) return { xml, items: fitted.map(packedItem), dropped: all, tokens }
    // A budget too small even for the frame: better no block than one that is too long.
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

/** Counts of what is not shown, so that nothing is dropped silently; what was taken back is not missed. */
function leftOut(dropped: Dropped[], more: string | undefined): string[] {
  const counts: Record<string, number> = {}
  for (const { section, reason, count } of dropped) {
    if (reason === "invalidated") continue
    counts[section] = (counts[section] ?? 0) + count
  }
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

const WRAPPED = new Set<Section>([
  "turning_points",
  "mems",
  "anti_patterns",
  "anchors",
  "delegations",
  "warnings",
])
// Room for the tags around sections, and for every section to show up in the note.
const SECTION_TOKENS = 60
const FRAME_DROPS: Dropped[] = sections.map((section) => ({ section, reason: "", count: 1000, examples: [] }))
