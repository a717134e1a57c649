import { ALL } from "../../graph/indexes.ts"
import type { Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { anchorItems } from "./anchor-items.ts"
import { delegationItems, MAX_DELEGATIONS } from "./delegation-items.ts"
import { failedItems } from "./failed-items.ts"
import { type Dropped, droppedItems, type Item } from "./item.ts"
import { avoidItem, decisionItem, isNear, memItem, memRef } from "./mem-items.ts"
import type { Recalled } from "./recalled.ts"
import { countBeyond, recalledItems } from "./recalled-items.ts"
import { limitsFor, rankMems } from "./relevance.ts"

export interface KnowledgeInput {
  state: GraphState
  place: Place
  now: number
  branch: string | null
  evidence: EvidenceCheck
  files: FileLook
  /** For a subagent: only what has to do with its task. */
  isScoped: boolean
  recalled: readonly Recalled[]
  archived: (id: string) => Mem | undefined
  /** In tokens, for all of the block. */
  budget: number
}

/** Open decisions, mems, false paths, anchors and delegations, each with its worth; and what was not even considered. */
export function knowledgeItems(input: KnowledgeInput): { items: Item[]; dropped: Dropped[] } {
  const { state, place, now, branch, isScoped } = input
  const limits = limitsFor(input.budget)
  const ranking = rankMems(state, place, now, branch, limits)
  // A subagent has no use for what is merely recent; the words of its task bring the rest.
  const mems = isScoped ? ranking.best.filter(isNear) : ranking.best
  const falsePaths = isScoped ? ranking.falsePaths.filter(isNear) : ranking.falsePaths
  const anchors = anchorItems(input, limits.anchors)
  const recalled = recalledItems(input)
  const items = [
    ...recalled,
    ...ranking.openDecisions.map(decisionItem),
    ...mems.map((ranked) => memItem(ranked, input.evidence)),
    ...falsePaths.map(avoidItem),
    ...failedItems(state, place, isScoped),
    ...anchors.items,
    ...(isScoped ? [] : delegationItems(state)),
  ]
  const dropped = [
    droppedItems("mems", "stale", ranking.stale, memRef),
    droppedItems("mems", "invalidated", ranking.invalidated, memRef),
    anchors.dropped,
    outranked(
      "mems",
      ranking.outranked.mems + ranking.best.length - mems.length - countBeyond(state, recalled, "mem", mems),
    ),
    outranked(
      "anti_patterns",
      ranking.outranked.falsePaths +
        ranking.falsePaths.length -
        falsePaths.length -
        countBeyond(state, recalled, "avoid", falsePaths),
    ),
    outranked("decisions", ranking.outranked.openDecisions),
    outranked("delegations", isScoped ? 0 : state.delegation.by("open", ALL).size - MAX_DELEGATIONS),
  ].filter(({ count }) => count > 0)
  return { items, dropped }
}

/** Counted only: nobody has looked at them one by one. */
function outranked(section: Dropped["section"], count: number): Dropped {
  return { section, reason: "less relevant", count, examples: [] }
}
