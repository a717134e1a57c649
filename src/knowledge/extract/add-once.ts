import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/**
 * Adds those mems that never existed. Their ids are derived from what they are about, and adding commutes: two
 * processes that see the same thing at once add one mem, without a lock.
 */
export async function addOnce(hive: Hive, caller: Caller, mems: readonly Mem[]): Promise<Mem[]> {
  const isKnown = knownMems(hive)
  const fresh = mems.filter(({ id }) => !isKnown(id))
  if (fresh.length === 0) return []
  const { result } = await hive.store.append(authorOf(caller), (tx) => {
    const added = fresh.filter(({ id }) => tx.get("mem", id) === undefined)
    for (const mem of added) tx.add("mem", mem)
    return added
  })
  return result
}

/** Says of an id whether its mem is in the graph or in the archive. */
export function knownMems({ store }: Hive): (id: string) => boolean {
  const { state } = store.read()
  return (id) => state.mem.has(id) || store.archive.has(id)
}
