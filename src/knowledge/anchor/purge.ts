import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import { isOld } from "./staleness.ts"

/**
 * Removes anchors that are marked stale and that nobody has said anew for two days. What is only old stays: nothing
 * has happened that makes it less true. Critical ones stay in any case, and decisions: the mem of one goes with its
 * anchor. Returns how many went.
 */
export async function purgeAnchors(hive: Hive, caller: Caller): Promise<number> {
  const now = hive.source.now()
  const isDue = (anchor: Anchor) =>
    anchor.status === "stale" &&
    anchor.priority !== "critical" &&
    anchor.type !== "decision" &&
    isOld(anchor, now)
  if (![...hive.store.read().state.anchor.values()].some(isDue)) return 0
  const at = new Date(now).toISOString()
  const { result } = await hive.store.write(authorOf(caller), (tx) => {
    const due = [...tx.all("anchor")].filter(isDue)
    for (const { id } of due) tx.set("anchor", id, { status: "removed", updated_at: at })
    return due.length
  })
  return result
}
