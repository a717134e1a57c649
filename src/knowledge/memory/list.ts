import { isMemInForce } from "../../graph/lifecycle.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/** The mems in force, newest first; of one shelf, if it is given. */
export function listMems(hive: Hive, shelf?: string): Mem[] {
  const mems = [...hive.store.read().state.mem.values()]
  return mems
    .filter((mem) => isMemInForce(mem) && (shelf === undefined || mem.shelf === shelf))
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id))
}
