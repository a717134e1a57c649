import type { Severity } from "../../watch/warning.ts"
import type { Wordable } from "./fit.ts"

/** The parts of the block, in the order they are shown. */
export const sections = [
  "head",
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

/** What an item can be about. A wait is one task that waits for another. */
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
type ItemKind = (typeof itemKinds)[number]

/** What an item is shown as. The name of its element. */
export const itemRoles = [
  "head",
  "plan",
  "phase",
  "task",
  "parent",
  "subtask",
  "next",
  "depends",
  "gate",
  "decision",
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
type ItemRole = (typeof itemRoles)[number]

/** What an item is about and what it is shown as. Its text may change. */
export interface ItemRef {
  kind: ItemKind
  /** Of the record. A file of the code map has its path, a warning has its signal's name, a turning point its kind and its record's, the read-head nothing. */
  id: string
  role: ItemRole
  /** Of a wait: the task that is waited for. */
  on?: string | undefined
}

/** What is known of an item besides its text: the same when it is packed and when it is recorded. */
export interface ItemFacts extends ItemRef {
  /** The attributes by which the model knows it again, such as its short id. */
  identity: Readonly<Record<string, string>>
  section: Section
  /** Why it was chosen, for people. */
  reason: string
  /** Of a plan, a phase or a task: as it is told. */
  status?: string | undefined
  /** Of a plan or a task: what it waits for, as it is told. */
  waits?: string | undefined
  /** Of a plan, a phase or a task: a hash of all else that it is told to be, such as its title. */
  description?: string | undefined
  /** Of a warning. */
  severity?: Severity | undefined
}

/** One thing the block may say. If its fullest wording is the same, nothing about it has changed. */
export interface Item extends ItemFacts, Wordable {}

/** What did not make it into the block. Only some are named: there can be thousands. */
export interface Dropped {
  section: Section
  reason: string
  count: number
  examples: ItemRef[]
}

/**
 * A string for what an item is about, where a Map or a Set needs one. A task and a wait can be shown in several roles at
 * once, so their role belongs to it. Everything else is shown once: in another role it replaces what was shown before.
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
  const { kind, id, role, on, identity, section, reason, status, waits, description, severity } = item
  return { kind, id, role, on, identity, section, reason, status, waits, description, severity }
}

const MAX_EXAMPLES = 20
