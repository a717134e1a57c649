import { createHash } from "node:crypto"
import { element, shorten } from "../../shared/text/clean.ts"
import type { Severity } from "../../watch/signals.ts"

/** The kind and section of each role, in the order of the sections in the block. The element is named after the role. */
const ROLES = {
  head: ["head", "head"],
  rule: ["mem", "rules"],
  plan: ["plan", "chain"],
  phase: ["phase", "chain"],
  task: ["task", "chain"],
  parent: ["task", "chain"],
  depends: ["wait", "chain"],
  gate: ["wait", "chain"],
  code: ["code", "chain"],
  open_plan: ["plan", "next"],
  subtask: ["task", "next"],
  next: ["task", "next"],
  decision: ["mem", "decisions"],
  conflict: ["conflict", "conflicts"],
  turn: ["turn", "turning_points"],
  mem: ["mem", "mems"],
  avoid: ["mem", "anti_patterns"],
  failed: ["task", "anti_patterns"],
  anchor: ["anchor", "anchors"],
  delegation: ["delegation", "delegations"],
  warning: ["warning", "warnings"],
} as const
type ShownRole = keyof typeof ROLES
type Kind = (typeof ROLES)[ShownRole][0]
/** An element `was` says what has become of an item that is no longer shown in its old role. */
type Role = ShownRole | "was"
export type Section = (typeof ROLES)[ShownRole][1] | "was"

const rows = Object.values(ROLES)
export const itemRoles: Role[] = [...(Object.keys(ROLES) as ShownRole[]), "was"]
export const itemKinds: Kind[] = [...new Set(rows.map(([kind]) => kind))]
export const sections: Section[] = [...new Set(rows.map(([, section]) => section)), "was"]

export interface ItemRef {
  kind: Kind
  /** The id of the record; for other items a file's path, a signal, a turning point's kind and record, or "". */
  id: string
  role: Role
  /** The id of the task that a `wait` item waits for. */
  on?: string | undefined
}

export interface ItemFacts extends ItemRef {
  /** Attributes by which the model recognises the item, such as its short id. */
  identity: Readonly<Record<string, string>>
  section: Section
  reason: string
  /** For plans, phases and tasks, as the model saw them: status, dependencies, a hash of other attributes and words. */
  status?: string | undefined
  waits?: string | undefined
  description?: string | undefined
  severity?: Severity | undefined
}

/** One element that the block may contain. The item counts as changed if its longest wording has changed. */
export interface Item extends ItemFacts, Wordings {
  /** Items that are worth more are kept longer when the budget is tight. */
  worth: number
}

interface Wordings {
  levels: number
  render: (level: number) => string
}

interface ItemContent extends Omit<Item, "kind" | "role" | "section" | keyof Wordings> {
  shown?: Readonly<Record<string, string | null | undefined>>
  words: string
  /** Maximum lengths of the wordings in characters, the longest first. */
  widths: readonly number[]
}

export function itemOf(role: ShownRole, { words, widths, shown, ...facts }: ItemContent): Item {
  const [kind, section] = ROLES[role]
  const render = (max: number) => element(role, shown ?? facts.identity, shorten(words, max))
  return { kind, role, section, ...facts, ...wordings(widths, render) }
}

export function wordings(widths: readonly number[], render: (max: number) => string): Wordings {
  return { levels: widths.length, render: (level) => render(widths[level] ?? 0) }
}

export interface Dropped {
  section: Section
  reason: string
  count: number
  examples: ItemRef[]
}

export function droppedItems(role: ShownRole, reason: string, records: readonly { id: string }[]): Dropped {
  const [kind, section] = ROLES[role]
  const examples = records.slice(0, MAX_EXAMPLES).map(({ id }) => ({ kind, id, role }))
  return { section, reason, count: records.length, examples }
}

/** A task or wait can be shown in several roles, so its key has the role. Any other item is replaced if it gets a new role. */
export function keyOf({ kind, id, role, on = "" }: ItemRef): string {
  return kind === "task" || kind === "wait" ? `${kind} ${id} ${role} ${on}` : `${kind} ${id}`
}

export const refOf = ({ kind, id, role, on }: ItemRef): ItemRef => ({ kind, id, role, on })

export function factsOf(item: ItemFacts): ItemFacts {
  const { identity, section, reason, status, waits, description, severity } = item
  return { ...refOf(item), identity, section, reason, status, waits, description, severity }
}

/** Hashes are cached, because most texts are those of the previous turn. */
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
export const MAX_EXAMPLES = 20
