import { ALL } from "../../graph/indexes.ts"
import { isKnowledge } from "../../graph/lifecycle.ts"
import { isReplaced, memStatus } from "../../graph/mem-status.ts"
import type { Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import { isAnchorStale, type ScoredAnchor, scoreAnchors } from "../../knowledge/anchor/staleness.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { type Dropped, droppedItems, type Item, itemOf } from "./item.ts"
import type { Sources } from "./pack.ts"
import {
  avoidItem,
  delegationItems,
  failedItem,
  failedItems,
  isNear,
  MAX_DELEGATIONS,
  memItem,
  openDecisionItem,
} from "./record-items.ts"
import { limitsFor, type Ranked, rankMems } from "./relevance.ts"

/** A mem (hot or archived) or a failed task (of any plan) that recall found, and the words that matched. */
export type Recalled = { mem: Mem; reason: string } | { task: Task; reason: string }

export interface KnowledgeInput extends Omit<Sources, "code"> {
  state: GraphState
  place: Place
  branch: string | null
  isScoped: boolean
  recalled: readonly Recalled[]
  budget: number
}

export function knowledgeItems(input: KnowledgeInput): { items: Item[]; dropped: Dropped[] } {
  const { state, place, isScoped } = input
  const limits = limitsFor(input.budget)
  const ranking = rankMems(state, place, input.now, input.branch, limits)
  const mems = isScoped ? ranking.best.filter(isNear) : ranking.best
  const falsePaths = isScoped ? ranking.falsePaths.filter(isNear) : ranking.falsePaths
  const anchors = anchorItems(input, limits.anchors)
  const recalled = recalledItems(input)
  const items = [
    ...recalled,
    ...ranking.openDecisions.map(openDecisionItem),
    ...mems.map((ranked) => memItem(ranked, input.evidence)),
    ...falsePaths.map(avoidItem),
    ...failedItems(state, place, isScoped),
    ...anchors.items,
    ...(isScoped ? [] : delegationItems(state)),
  ]
  const { counts } = ranking
  const alsoRecalled = (role: Item["role"], chosen: readonly Ranked[]) => {
    const ids = new Set(chosen.map(({ mem }) => mem.id))
    return recalled.filter((item) => item.role === role && state.mem.has(item.id) && !ids.has(item.id)).length
  }
  const delegations = isScoped ? 0 : state.delegation.by("open", ALL).size
  const dropped = [
    droppedItems("mem", "stale", ranking.stale),
    droppedItems("mem", "invalidated", ranking.invalidated),
    anchors.dropped,
    lessRelevant("mems", counts.mems - mems.length - alsoRecalled("mem", mems)),
    lessRelevant("anti_patterns", counts.falsePaths - falsePaths.length - alsoRecalled("avoid", falsePaths)),
    lessRelevant("decisions", counts.openDecisions - ranking.openDecisions.length),
    lessRelevant("delegations", delegations - MAX_DELEGATIONS),
  ].filter(({ count }) => count > 0)
  return { items, dropped }
}

function lessRelevant(section: Dropped["section"], count: number): Dropped {
  return { section, reason: "less relevant", count, examples: [] }
}

/** Renders recall's hits from the current records: since the search, a mem may have been replaced or a task resumed. */
function recalledItems(input: KnowledgeInput): Item[] {
  const items = new Map<string, Item>()
  for (const found of input.recalled) {
    const { reason } = found
    const item =
      "mem" in found ? recalledMem(input, found.mem, reason) : recalledTask(input, found.task, reason)
    if (item !== undefined && !items.has(item.id))
      items.set(item.id, { ...item, worth: RECALLED_WORTH - items.size })
  }
  return [...items.values()]
}

function recalledMem(
  { state, archived, evidence }: KnowledgeInput,
  found: Mem,
  reason: string,
): Item | undefined {
  const mem = state.mem.get(found.id) ?? archived(found.id) ?? found
  const ranked = { mem, score: 0, reason }
  if (memStatus(mem) === "false path") return avoidItem(ranked)
  return isKnowledge(mem) && !isReplaced(state, mem.id) ? memItem(ranked, evidence) : undefined
}

function recalledTask({ state }: KnowledgeInput, { id }: Task, reason: string): Item | undefined {
  const task = state.task.get(id)
  return task?.status === "failed" ? failedItem(state, task, RECALLED_WORTH, `failed; ${reason}`) : undefined
}

// Recalled items rank after the current work and before items that are only related to it.
const RECALLED_WORTH = 740

/** At most `limit` anchors, critical ones first (age must not hide them); a subagent gets only the critical ones. */
function anchorItems(
  { state, place, now, files, isScoped }: KnowledgeInput,
  limit: number,
): { items: Item[]; dropped: Dropped } {
  const anchors = scoreAnchors(state, place, now)
  const critical = anchors.filter(({ anchor }) => anchor.priority === "critical")
  const others = isScoped ? [] : anchors.filter((scored) => !critical.includes(scored))
  const chosen = new Set([...critical, ...others].slice(0, limit))
  const shown = anchors.filter((scored) => chosen.has(scored))
  const hidden = anchors.filter((scored) => !chosen.has(scored)).map(({ anchor }) => anchor)
  return {
    items: shown.map((scored) => anchorItem(scored, isAnchorStale(state, scored.anchor, files, now))),
    dropped: droppedItems("anchor", "less important", hidden),
  }
}

export function singleAnchorItem(
  state: GraphState,
  id: string,
  reason: string,
  { now, files }: Pick<Sources, "now" | "files">,
): Item | undefined {
  const anchor = state.anchor.get(id)
  if (anchor === undefined) return undefined
  return anchorItem({ anchor, score: 0, reason }, isAnchorStale(state, anchor, files, now))
}

function anchorItem({ anchor, score, reason }: Omit<ScoredAnchor, "isStale">, isStale: boolean): Item {
  const { id, key, value, priority } = anchor
  return itemOf("anchor", {
    id,
    identity: { key },
    shown: { key, priority, stale: isStale ? "yes" : undefined },
    words: value,
    widths: [800, 200, 70],
    worth: priority === "critical" ? 700 + score / 10 : 300 + score * 2.2,
    reason,
  })
}
