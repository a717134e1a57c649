import { ALL } from "../../graph/indexes.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/** The mems in force, newest first; of one shelf, if it is given. */
export function listMems(hive: Hive, shelf?: string): Mem[] {
  const newest = [...hive.store.read().state.mem.by("in_force", ALL).backwards()]
  return shelf === undefined ? newest : newest.filter((mem) => mem.shelf === shelf)
}
