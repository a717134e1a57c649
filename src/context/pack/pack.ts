import { placeOf } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { CodeLook } from "../../project/codemap/code-look.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Trajectory, TurningPoint } from "../../schemas/session.ts"
import type { Vocabulary } from "../../shared/text/tokens.ts"
import type { Warning } from "../../watch/warning.ts"
import { type Block, fitBlock } from "./block.ts"
import { budgetFor, DEFAULT_SHARE } from "./budget.ts"
import { chainItems } from "./chain-items.ts"
import { codeItems } from "./code-items.ts"
import { conflictItems } from "./conflict-items.ts"
import { type Dropped, type Item, keyOf } from "./item.ts"
import { knowledgeItems } from "./knowledge-items.ts"
import type { Recalled } from "./recalled.ts"
import { turnItems } from "./turn-items.ts"
import { warningItem } from "./warning-item.ts"

export interface PackOptions {
  now: number
  /** In tokens; left out, it follows from the model's window. */
  budget?: number | undefined
  /** With what other parts of the message take of it: how much is looked at must not change with them. */
  whole?: number | undefined
  /** In which the budget is counted. */
  vocabulary?: Vocabulary | undefined
  model?: { window: number | undefined; share?: number } | undefined
  /** Shown in the block, so that it can be found again. */
  stamp?: string | undefined
  /** The git branch one is on: what was made on it comes first among equals. */
  branch?: string | null | undefined
  /** A subagent's block: its task and little else. */
  isScoped?: boolean | undefined
  warnings?: readonly Warning[] | undefined
  /** Warnings in results of calls that no longer hold like that. */
  outdated?: readonly Warning[] | undefined
  /** What the session's work has turned on, oldest first. */
  turningPoints?: readonly TurningPoint[] | undefined
  /** Said to the model about what was left out; the packer knows no tools. */
  more?: string | undefined
  /** What the user's words and the task at hand have brought back. */
  recalled?: readonly Recalled[] | undefined
  /** A mem that left the hot set: the model may have read it, and it still holds. */
  archived?: ((id: string) => Mem | undefined) | undefined
  /** How many of those there are, about. */
  archivedCount?: number | undefined
  evidence?: EvidenceCheck | undefined
  /** The project's files as they are, to see what has changed under a document or an anchor. */
  files?: FileLook | undefined
  /** What the code map knows of a file. */
  code?: CodeLook | undefined
}

/** Compiles what matters at a read-head into one block. Pure: same graph, same clock, same bytes. */
export function pack(
  state: GraphState,
  head: Trajectory | undefined,
  options: PackOptions,
  { items, dropped }: Gathered = gatherItems(state, head, options),
): Block {
  const budget = budgetOf(options)
  const frame = { tag: "hivemind_state", attributes: { session: options.stamp }, more: options.more }
  return fitBlock(frame, [...items.values()], dropped, budget, options.vocabulary)
}

function budgetOf({ budget, model, isScoped }: PackOptions): number {
  return budget ?? budgetFor(model?.window, model?.share ?? DEFAULT_SHARE, isScoped)
}

/** Everything the block could say, whatever it costs, by `keyOf`; and what was not even considered. */
export interface Gathered {
  items: Map<string, Item>
  dropped: Dropped[]
}

export function gatherItems(state: GraphState, head: Trajectory | undefined, options: PackOptions): Gathered {
  const {
    now,
    branch = null,
    isScoped = false,
    recalled = [],
    archived = () => undefined,
    evidence = () => undefined,
    files = () => undefined,
    code = () => undefined,
  } = options
  const place = placeOf(state, head)
  const budget = options.whole ?? budgetOf(options)
  const sources = { evidence, files, recalled, archived }
  const knowledge = knowledgeItems({ state, place, now, branch, isScoped, budget, ...sources })
  // A subagent has a task; to decide between clones is for whoever gave it.
  const conflicts = isScoped ? { items: [], dropped: [] } : conflictItems(state)
  const items = [
    ...chainItems(state, head, place, isScoped, files),
    ...codeItems(place.tasks, code),
    ...knowledge.items,
    ...conflicts.items,
    ...turnItems(state, options.turningPoints ?? [], knowledge.items, archived),
    ...(options.warnings ?? []).map(warningItem),
  ]
  const put = options.archivedCount ?? 0
  const away: Dropped[] = put > 0 ? [{ section: "mems", reason: "archived", count: put, examples: [] }] : []
  return { items: byKey(items), dropped: [...knowledge.dropped, ...conflicts.dropped, ...away] }
}

/** A task can depend on another twice, a mem be an open decision and recent: the first, most telling mention stays. */
function byKey(items: readonly Item[]): Map<string, Item> {
  const first = new Map<string, Item>()
  for (const item of items) {
    const key = keyOf(item)
    if (!first.has(key)) first.set(key, item)
  }
  return first
}
