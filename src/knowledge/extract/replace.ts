import { isMemInForce } from "../../graph/lifecycle.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/**
 * Supersedes mems, by another one if it is given. Needs the lock: changing a record does not commute. If the other
 * existed before (a decision was taken back, then taken again), it is in force again.
 */
export async function replaceMems(
  { store }: Hive,
  caller: Caller,
  outdated: readonly Mem[],
  mem: Mem | null,
): Promise<Mem[]> {
  const { result } = await store.write(authorOf(caller), (tx) => {
    const old = outdated.filter(({ id }) => isMemInForce(tx.get("mem", id)))
    const [first] = old
    // Another process was faster.
    if (first === undefined) return []
    const updated_at = mem?.updated_at ?? first.updated_at
    for (const { id } of old) tx.set("mem", id, { status: "superseded", updated_at })
    if (mem === null) return []
    const there = tx.get("mem", mem.id)
    const before = there ?? store.archive.get(mem.id)
    if (REJECTED.has(before?.status ?? "")) return []
    if (there !== undefined) tx.set("mem", mem.id, { status: "active", updated_at, stale_at: mem.stale_at })
    // A mem that comes back was superseded by the one it supersedes now: the link would be a circle.
    else tx.add("mem", { ...mem, supersedes: before === undefined ? first.id : null })
    return [tx.need("mem", mem.id)]
  })
  return result
}

// A mem that a person rejected does not come back by rule.
const REJECTED = new Set(["purged", "invalidated"])
