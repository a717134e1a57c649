import { countOf, registersOf } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/**
 * Counts that mems were asked for and found. The counters are local and not in the log. Mems that a message brings along by
 * itself are not counted, or they would raise their own rank.
 */
export async function countAccess(hive: Hive, caller: Caller, mems: readonly Mem[]): Promise<void> {
  if (mems.length === 0) return
  const at = new Date(hive.source.now()).toISOString()
  await hive.store.append(authorOf(caller), (tx) => {
    for (const { id } of mems) {
      tx.count(PREFIX + id, TIMES)
      tx.register(PREFIX + id, LAST, at)
    }
  })
}

/** How often this clone asked for a mem and found it, and when last. */
export function accessOf(state: GraphState, id: string): { count: number; at: string | null } {
  const at = registersOf(state, PREFIX + id)[LAST]
  return { count: countOf(state, PREFIX + id, TIMES), at: typeof at === "string" ? at : null }
}

/** True for the counter key of a mem; sessions have counters too. */
export function isMemKey(key: string): boolean {
  return key.startsWith(PREFIX)
}

const PREFIX = "mem:"
const TIMES = "recalled"
const LAST = "recalled_at"
