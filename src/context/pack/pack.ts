import { placeOf } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { FileStatusLookup } from "../../project/document/file-status.ts"
import type { CodeFactsLookup } from "../../schemas/codemap.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Trajectory, TurningPoint } from "../../schemas/session.ts"
import type { Vocabulary } from "../../shared/text/tokens.ts"
import type { Warning } from "../../watch/signals.ts"
import { chainItems } from "./chain-items.ts"
import { codeItems } from "./code-items.ts"
import { type Block, budgetFor, fitBlock } from "./fit-block.ts"
import { type Item, keyOf } from "./item.ts"
import { knowledgeItems, type Recalled } from "./knowledge-items.ts"
import { conflictItems, warningItem } from "./record-items.ts"
import { ruleItems } from "./rule-items.ts"
import { turnItems } from "./turn-items.ts"

export interface PackOptions {
  now: number
  /** In tokens; by default, the budget for a model whose context window is unknown. */
  budget?: number | undefined
  /** The budget before hints and reminders are subtracted, which must not change how many items are considered. */
  whole?: number | undefined
  vocabulary?: Vocabulary | undefined
  stamp?: string | undefined
  branch?: string | null | undefined
  /** True for a subagent, whose block contains its task and little else. */
  isScoped?: boolean | undefined
  warnings?: readonly Warning[] | undefined
  turningPoints?: readonly TurningPoint[] | undefined
  more?: string | undefined
  message?: string | undefined
  recalled?: readonly Recalled[] | undefined
  archivedCount?: number | undefined
  archived?: ((id: string) => Mem | undefined) | undefined
  evidence?: EvidenceCheck | undefined
  files?: FileStatusLookup | undefined
  code?: CodeFactsLookup | undefined
}

export interface Sources {
  now: number
  archived: (id: string) => Mem | undefined
  evidence: EvidenceCheck
  files: FileStatusLookup
  code: CodeFactsLookup
}

export function sourcesOf(options: PackOptions): Sources {
  const unknown = () => undefined
  const { now, archived = unknown, evidence = unknown, files = unknown, code = unknown } = options
  return { now, archived, evidence, files, code }
}

/** Packs what matters at a read-head into one block. Pure: the same graph and time give the same bytes. */
export function pack(
  state: GraphState,
  head: Trajectory | undefined,
  options: PackOptions,
  { items, dropped }: Gathered = gatherItems(state, head, options),
): Block {
  const frame = { tag: "hivemind_state", attributes: { session: options.stamp }, more: options.more }
  return fitBlock(frame, [...items.values()], dropped, budgetOf(options), options.vocabulary)
}

function budgetOf({ budget, isScoped }: PackOptions): number {
  return budget ?? budgetFor(undefined, undefined, isScoped)
}

export type Gathered = ReturnType<typeof gatherItems>

/** All items that the block may contain, by `keyOf`, before the budget applies, and counts of those left out already. */
export function gatherItems(state: GraphState, head: Trajectory | undefined, options: PackOptions) {
  const { branch = null, isScoped = false, recalled = [], archivedCount = 0 } = options
  const sources = sourcesOf(options)
  const place = placeOf(state, head)
  const budget = options.whole ?? budgetOf(options)
  const knowledge = knowledgeItems({ state, place, branch, isScoped, budget, recalled, ...sources })
  // A subagent gets no conflicts: the session that gave it its task settles them.
  const conflicts = isScoped ? { items: [], dropped: [] } : conflictItems(state)
  const rules = ruleItems(state, place, { budget, recalled, message: options.message ?? "" })
  const all = [
    ...rules.items,
    ...chainItems(state, head, place, isScoped, sources.files),
    ...codeItems(place.tasks, sources.code),
    ...knowledge.items,
    ...conflicts.items,
    ...turnItems(state, options.turningPoints ?? [], knowledge.items, sources.archived),
    ...(options.warnings ?? []).map(warningItem),
  ]
  // Of two items with one key the first is kept, because it says more: an open decision may also be a recent mem.
  const items = new Map<string, Item>()
  for (const item of all) if (!items.has(keyOf(item))) items.set(keyOf(item), item)
  const dropped = [...knowledge.dropped, ...conflicts.dropped]
  if (rules.dropped.count > 0) dropped.unshift(rules.dropped)
  if (archivedCount > 0)
    dropped.push({ section: "mems", reason: "archived", count: archivedCount, examples: [] })
  return { items, dropped }
}
