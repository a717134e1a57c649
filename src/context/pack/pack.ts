import { placeOf } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Trajectory, TurningPoint } from "../../schemas/session.ts"
import { element } from "../../shared/text/element.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import type { Warning } from "../../watch/warning.ts"
import { budgetFor, DEFAULT_SHARE } from "./budget.ts"
import { chainItems } from "./chain-items.ts"
import { type Fitted, fitItems } from "./fit.ts"
import { type Dropped, type Item, type Section, sections } from "./item.ts"
import { knowledgeItems } from "./knowledge-items.ts"
import { turnItems } from "./turn-items.ts"
import { warningItem } from "./warning-item.ts"

export interface PackOptions {
  now: number
  /** In tokens; left out, it follows from the model's window. */
  budget?: number | undefined
  model?: { window: number | undefined; share?: number } | undefined
  /** Shown in the block, so that it can be found again. */
  stamp?: string | undefined
  /** A subagent's block: its task and little else. */
  isScoped?: boolean | undefined
  warnings?: readonly Warning[] | undefined
  /** What the session's work has turned on, oldest first. */
  turningPoints?: readonly TurningPoint[] | undefined
  /** Said to the model about what was left out; the packer knows no tools. */
  more?: string | undefined
  evidence?: EvidenceCheck | undefined
  /** The project's files as they are, to tell what has changed under a document or an anchor. */
  files?: FileLook | undefined
}

export interface PackedItem {
  key: string
  section: Section
  reason: string
  tokens: number
  text: string
  /** Its fullest wording: if that is the same, nothing about it has changed. */
  full: string
}

export interface Packed {
  xml: string
  items: PackedItem[]
  dropped: Dropped[]
  tokens: number
}

/** Compiles what matters at a read-head into one block. Pure: same graph, same clock, same bytes. */
export function pack(state: GraphState, head: Trajectory | undefined, options: PackOptions): Packed {
  const { items, dropped } = candidates(state, head, options)
  const budget =
    options.budget ??
    budgetFor(options.model?.window, options.model?.share ?? DEFAULT_SHARE, options.isScoped)
  const attributes = { session: options.stamp }
  return fitBlock("hivemind_state", attributes, items, dropped, budget, options.more)
}

/** Everything the block could say, before the budget has its say. */
export function candidates(state: GraphState, head: Trajectory | undefined, options: PackOptions) {
  const place = placeOf(state, head)
  const isScoped = options.isScoped ?? false
  const evidence = options.evidence ?? (() => undefined)
  const files = options.files ?? (() => undefined)
  const knowledge = knowledgeItems({ state, place, now: options.now, evidence, files, isScoped })
  const items: Item[] = [
    ...chainItems(state, head, place, isScoped, files),
    ...knowledge.items,
    ...turnItems(state, options.turningPoints ?? [], knowledge.items),
    ...(options.warnings ?? []).map(warningItem),
  ]
  // A task can be at hand and come next, a mem linked twice: the first, most telling mention stays.
  const seen = new Set<string>()
  const unique = items.filter(({ key }) => !seen.has(key) && seen.add(key))
  return { items: unique, dropped: knowledge.dropped }
}

/** Renders items into a block that costs at most `budget`, all counted: tags, and the note on what was left out. */
export function fitBlock(
  tag: string,
  attributes: Record<string, string | undefined>,
  items: Item[],
  dropped: Dropped[],
  budget: number,
  more: string | undefined,
): Packed {
  const frame = renderBlock(tag, attributes, [], [...dropped, ...FRAME_DROPS], more)
  let room = budget - countTokens(frame) - SECTION_TOKENS
  for (;;) {
    const { fitted, vanished } = fitItems(items, Math.max(0, room))
    const all = [...dropped, ...droppedBy(vanished)]
    const xml = renderBlock(tag, attributes, fitted, all, more)
    const tokens = countTokens(xml)
    if (tokens <= budget || fitted.length === 0) {
      // A budget too small even for the frame: better no block than one that is too long.
      if (tokens > budget) return { xml: "", items: [], dropped: all, tokens: 0 }
      return { xml, items: fitted.map(packedItem), dropped: all, tokens }
    }
    room -= tokens - budget + 1
  }
}

function renderBlock(
  tag: string,
  attributes: Record<string, string | undefined>,
  fitted: Fitted[],
  dropped: Dropped[],
  more: string | undefined,
): string {
  const lines = sections.flatMap((section) => {
    const texts = fitted.filter(({ item }) => item.section === section).map(({ text }) => text)
    if (texts.length === 0) return []
    return WRAPPED.has(section) ? [`<${section}>`, ...texts, `</${section}>`] : texts
  })
  const open = element(tag, attributes, " ")
    .replace(/ ?<\/\w+>$/, "")
    .trimEnd()
  return [open, ...lines, ...leftOut(dropped, more), `</${tag}>`].join("\n")
}

/** Counts of what is not shown, so that nothing is dropped silently; stale and invalidated ones are not missed. */
function leftOut(dropped: Dropped[], more: string | undefined): string[] {
  const counts: Record<string, number> = {}
  for (const { section, reason, count } of dropped) {
    if (reason === "stale" || reason === "invalidated") continue
    counts[section] = (counts[section] ?? 0) + count
  }
  return Object.keys(counts).length === 0 ? [] : [element("left_out", { ...counts, more })]
}

function droppedBy(vanished: Item[]): Dropped[] {
  const bySection = new Map<Section, Item[]>()
  for (const item of vanished) bySection.set(item.section, [...(bySection.get(item.section) ?? []), item])
  return [...bySection].map(([section, items]) => ({
    section,
    reason: "no room in the budget",
    count: items.length,
    keys: items.slice(0, 20).map(({ key }) => key),
  }))
}

function packedItem({ item, text, tokens }: Fitted): PackedItem {
  return {
    key: item.key,
    section: item.section,
    reason: item.reason,
    tokens,
    text,
    full: item.render(0),
  }
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
const FRAME_DROPS: Dropped[] = sections.map((section) => ({ section, reason: "", count: 1000, keys: [] }))
