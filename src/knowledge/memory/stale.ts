import { ALL } from "../../graph/indexes.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { isStale } from "../../graph/staleness.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/** Mems in force that are past their time, the longest first. The next fold puts them away, where recall finds them. */
export function staleMems({ store, source }: Hive): Mem[] {
  const { state } = store.read()
  const now = new Date(source.now()).toISOString()
  const stale: Mem[] = []
  for (const mem of state.mem.by("stale", ALL)) {
    if ((mem.stale_at ?? "") > now) break
    if (isMemInForce(mem) && isStale(mem, state, now)) stale.push(mem)
  }
  return stale
}
