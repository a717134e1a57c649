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
import { type Block, budgetFor, DEFAULT_SHARE, fitBlock } from "./fit-block.ts"
import { type Dropped, type Item, keyOf } from "./item.ts"
import { knowledgeItems, type Recalled } from "./knowledge-items.ts"
import { conflictItems, warningItem } from "./record-items.ts"
import { ruleItems } from "./rule-items.ts"
import { turnItems } from "./turn-items.ts"

export interface PackOptions {
  now: number
  /** In tokens; default: from the model's window. */
  budget?: number | undefined
  /** The budget before other parts of the message were subtracted: they must not change how many items are considered. */
  whole?: number | undefined
  /** How tokens are counted. */
  vocabulary?: Vocabulary | undefined
  model?: { window: number | undefined; share?: number } | undefined
  stamp?: string | undefined
  /** The current git branch: its mems come first among equals. */
  branch?: string | null | undefined
  /** A subagent's block: its task and little else. */
  isScoped?: boolean | undefined
  warnings?: readonly Warning[] | undefined
  /** Oldest first. */
  turningPoints?: readonly TurningPoint[] | undefined
  /** How the model gets what was left out. */
  more?: string | undefined
  /** The user's message: the rules that it touches come first. */
  message?: string | undefined
  /** Found by the words of the message and of the task at hand. */
  recalled?: readonly Recalled[] | undefined
  archivedCount?: number | undefined
  /** Finds an archived mem. */
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

export function sourcesOf({ now, archived, evidence, files, code }: PackOptions): Sources {
  const unknown = () => undefined
  return {
    now,
    archived: archived ?? unknown,
    evidence: evidence ?? unknown,
    files: files ?? unknown,
    code: code ?? unknown,
  }
}

/** Compiles what matters at a read-head into one block. Pure: same graph and clock, same bytes. */
export function pack(
  state: GraphState,
  head: Trajectory | undefined,
  options: PackOptions,
  { items, dropped }: Gathered = gatherItems(state, head, options),
): Block {
  const frame = { tag: "hivemind_state", attributes: { session: options.stamp }, more: options.more }
  return fitBlock(frame, [...items.values()], dropped, budgetOf(options), options.vocabulary)
}

function budgetOf({ budget, model, isScoped }: PackOptions): number {
  return budget ?? budgetFor(model?.window, model?.share ?? DEFAULT_SHARE, isScoped)
}

/** All candidate items of the block by `keyOf`, before the budget; and those that were not considered. */
export interface Gathered {
  items: Map<string, Item>
  dropped: Dropped[]
}

export function gatherItems(state: GraphState, head: Trajectory | undefined, options: PackOptions): Gathered {
  const { branch = null, isScoped = false, recalled = [], archivedCount = 0 } = options
  const sources = sourcesOf(options)
  const place = placeOf(state, head)
  const budget = options.whole ?? budgetOf(options)
  const knowledge = knowledgeItems({ state, place, branch, isScoped, budget, recalled, ...sources })
  // Settling conflicts is left to the session that gave the subagent its task.
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
  // Of two items with one key the first says more: an open decision may be a recent mem too.
  const items = new Map<string, Item>()
  for (const item of all) if (!items.has(keyOf(item))) items.set(keyOf(item), item)
  const dropped = [...knowledge.dropped, ...conflicts.dropped]
  if (rules.dropped.count > 0) dropped.unshift(rules.dropped)
  if (archivedCount > 0)
    dropped.push({ section: "mems", reason: "archived", count: archivedCount, examples: [] })
  return { items, dropped }
}
