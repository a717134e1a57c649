import { isKnowledge } from "../../graph/lifecycle.ts"
import { isReplaced, standingOf } from "../../graph/mem-standing.ts"
import type { GraphState } from "../../graph/state.ts"
import type { EvidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { failedItem } from "./failed-items.ts"
import type { Item } from "./item.ts"
import { avoidItem, memItem } from "./mem-items.ts"
import type { Recalled, RecalledMem, RecalledTask } from "./recalled.ts"
import type { Ranked } from "./relevance.ts"

export interface RecalledInput {
  state: GraphState
  recalled: readonly Recalled[]
  archived: (id: string) => Mem | undefined
  evidence: EvidenceCheck
}

/** As they are by now: a mem may have been replaced or taken back since it was found, a task taken up again. */
export function recalledItems(input: RecalledInput): Item[] {
  const items = new Map<string, Item>()
  for (const found of input.recalled) {
    const item = "mem" in found ? recalledMem(input, found) : recalledTask(input.state, found)
    if (item === undefined || items.has(item.id)) continue
    items.set(item.id, { ...item, worth: RECALLED_WORTH - items.size })
  }
  return [...items.values()]
}

function recalledMem({ state, archived, evidence }: RecalledInput, found: RecalledMem): Item | undefined {
  const mem = state.mem.get(found.mem.id) ?? archived(found.mem.id) ?? found.mem
  const ranked = { mem, score: 0, reason: found.reason }
  if (standingOf(mem) === "false path") return avoidItem(ranked)
  return isKnowledge(mem) && !isReplaced(state, mem.id) ? memItem(ranked, evidence) : undefined
}

function recalledTask(state: GraphState, { task: { id }, reason }: RecalledTask): Item | undefined {
  const task = state.task.get(id)
  return task?.status === "failed" ? failedItem(task, RECALLED_WORTH, `failed; ${reason}`) : undefined
}

/** How many of them are shown besides those that were chosen for the place, and are not left out. */
export function countBeyond(
  state: GraphState,
  recalled: readonly Item[],
  role: Item["role"],
  chosen: readonly Ranked[],
): number {
  const ids = new Set(chosen.map(({ mem }) => mem.id))
  return recalled.filter((item) => item.role === role && state.mem.has(item.id) && !ids.has(item.id)).length
}

// Asked for just now: before all that is only near, after the work at hand.
const RECALLED_WORTH = 740
