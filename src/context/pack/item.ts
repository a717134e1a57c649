import { createHash } from "node:crypto"
import { countTokens, type Vocabulary } from "../../shared/text/tokens.ts"
import type { Severity } from "../../watch/signals.ts"

/** The parts of the block, in the order they are shown. */
export const sections = [
  "head",
  "rules",
  "chain",
  "next",
  "decisions",
  "conflicts",
  "turning_points",
  "mems",
  "anti_patterns",
  "anchors",
  "delegations",
  "warnings",
  "was",
] as const
export type Section = (typeof sections)[number]

/** Subject of an item. A wait is one task that waits for another. */
export const itemKinds = [
  "head",
  "plan",
  "phase",
  "task",
  "wait",
  "mem",
  "anchor",
  "delegation",
  "turn",
  "warning",
  "conflict",
  "code",
] as const

/** Role of an item: the name of its element. */
export const itemRoles = [
  "head",
  "plan",
  "open_plan",
  "phase",
  "task",
  "parent",
  "subtask",
  "next",
  "depends",
  "gate",
  "decision",
  "rule",
  "mem",
  "avoid",
  "failed",
  "anchor",
  "delegation",
  "turn",
  "warning",
  "conflict",
  "code",
  "was",
] as const

export interface ItemRef {
  kind: (typeof itemKinds)[number]
  /** Of the record; a file's path, a warning's signal, a turning point's kind and record, "" for the read-head. */
  id: string
  role: (typeof itemRoles)[number]
  /** For a wait: the task that is waited for. */
  on?: string | undefined
}

/** An item without its text, as it is recorded too. */
export interface ItemFacts extends ItemRef {
  /** Attributes by which the model recognises it, such as its short id. */
  identity: Readonly<Record<string, string>>
  section: Section
  reason: string
  /** For plans, phases and tasks, as shown to the model: status, dependencies, a hash of its other attributes and words. */
  status?: string | undefined
  waits?: string | undefined
  description?: string | undefined
  severity?: Severity | undefined
}

export interface Wordable {
  /** Higher is kept longer when the budget is tight. */
  worth: number
  levels: number
  /** One of the wordings; 0 is the longest. */
  render: (level: number) => string
}

/** One element that the block may have. It has changed if its longest wording has. */
export interface Item extends ItemFacts, Wordable {}

/** Items that are not in the block. */
export interface Dropped {
  section: Section
  reason: string
  count: number
  examples: ItemRef[]
}

/**
 * A key for the subject of an item. Tasks and waits can be shown in several roles at once; any other item shown in another
 * role replaces the earlier one.
 */
export function keyOf({ kind, id, role, on = "" }: ItemRef): string {
  return kind === "task" || kind === "wait" ? `${kind} ${id} ${role} ${on}` : `${kind} ${id}`
}

export function droppedItems<T>(
  section: Section,
  reason: string,
  all: readonly T[],
  toRef: (each: T) => ItemRef,
): Dropped {
  return { section, reason, count: all.length, examples: all.slice(0, MAX_EXAMPLES).map(toRef) }
}

export function refOf({ kind, id, role, on }: ItemRef): ItemRef {
  return { kind, id, role, on }
}

export function factsOf(item: ItemFacts): ItemFacts {
  const { identity, section, reason, status, waits, description, severity } = item
  return { ...refOf(item), identity, section, reason, status, waits, description, severity }
}

/** One wording per width, in characters. */
export function wordings(
  widths: readonly number[],
  render: (max: number) => string,
): Pick<Wordable, "levels" | "render"> {
  return { levels: widths.length, render: (level) => render(widths[level] ?? 0) }
}

export interface Fitted<T> {
  item: T
  text: string
  tokens: number
}

/**
 * Chooses a wording for each item so that all together cost at most `budget`. The least worth gives way first, the later one
 * among equals. Items are dropped only when all have their shortest wording.
 */
export function fitItems<T extends Wordable>(
  items: readonly T[],
  budget: number,
  vocabulary: Vocabulary = "any",
): { fitted: Fitted<T>[]; vanished: T[] } {
  const known = new Map<T, Fitted<T>[]>()
  const wordingOf = (item: T, level: number): Fitted<T> => {
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
  const vanished: T[] = []
  for (const item of leastFirst) {
    if (total <= budget) break
    total -= chosen.get(item)?.tokens ?? 0
    chosen.delete(item)
    vanished.push(item)
  }
  return { fitted: [...chosen.values()], vanished }
}

/** Remembers hashes: most texts are those of the previous turn. */
export function hashOf(text: string): string {
  const known = hashes.get(text)
  if (known !== undefined) return known
  const hash = createHash("sha1").update(text).digest("base64url").slice(0, 10)
  if (hashes.size >= MAX_HASHES) hashes.clear()
  hashes.set(text, hash)
  return hash
}

const hashes = new Map<string, string>()
const MAX_HASHES = 2000
const MAX_EXAMPLES = 20
const MAX_LEVELS = 3
