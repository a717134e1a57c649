import type { Mem } from "../../schemas/knowledge.ts"
import { authorOf, type Caller, type Hive } from "../hive.ts"

/**
 * Adds those of the mems that were never there, in the graph or in the archive. Their ids follow from what they tell
 * about, and an addition commutes: two processes that see the same thing at once add one mem, without a lock.
 */
export async function addOnce({ store }: Hive, caller: Caller, mems: readonly Mem[]): Promise<Mem[]> {
  const { state } = store.read()
  const unknown = mems.filter(({ id }) => !state.mem.has(id))
  if (unknown.length === 0) return []
  const archived = store.archived()
  const fresh = unknown.filter(({ id }) => !archived.has(id))
  if (fresh.length === 0) return []
  const { result } = await store.append(authorOf(caller), (tx) => {
    const added = fresh.filter(({ id }) => tx.get("mem", id) === undefined)
    for (const mem of added) tx.add("mem", mem)
    return added
  })
  return result
}
