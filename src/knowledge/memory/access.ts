import { countOf, registersOf } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/**
 * Counts that mems were asked for and found. Local, as all that is counted: it is not in the log, is not shared, and a crash
 * may cost the last few. What a message brings along by itself is not counted, or it would raise itself.
 */
export async function countAccess(hive: Hive, caller: Caller, mems: readonly Mem[]): Promise<void> {
  if (mems.length === 0) return
  const at = new Date(hive.source.now()).toISOString()
  await hive.store.append(authorOf(caller), (tx) => {
    for (const { id } of mems) {
      tx.count(keyOf(id), TIMES)
      tx.register(keyOf(id), LAST, at)
    }
  })
}

/** How often a mem was asked for and found in this clone, and when last. */
export function accessOf(state: GraphState, id: string): { count: number; at: string | null } {
  const at = registersOf(state, keyOf(id))[LAST]
  return { count: countOf(state, keyOf(id), TIMES), at: typeof at === "string" ? at : null }
}

/** True of the name that a mem's counters go by: those of sessions stand beside them. */
export function isMemKey(key: string): boolean {
  return key.startsWith(PREFIX)
}

function keyOf(id: string): string {
  return `${PREFIX}${id}`
}

const PREFIX = "mem:"
const TIMES = "recalled"
const LAST = "recalled_at"
