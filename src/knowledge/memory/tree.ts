import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { listMems } from "./list.ts"

/** How many mems of each kind stand on each shelf, the fullest shelf first; with the newest ones of each kind. */
export interface Shelf {
  shelf: string
  count: number
  kinds: { kind: Mem["kind"]; count: number; newest: Mem[] }[]
}

export function memTree(hive: Hive, shown: number): { shelves: Shelf[]; archived: number } {
  const shelves = new Map<string, Map<Mem["kind"], Mem[]>>()
  for (const mem of listMems(hive)) {
    const kinds = shelves.get(mem.shelf) ?? new Map<Mem["kind"], Mem[]>()
    shelves.set(mem.shelf, kinds)
    const mems = kinds.get(mem.kind)
    if (mems === undefined) kinds.set(mem.kind, [mem])
    else mems.push(mem)
  }
  const bySize = (a: { count: number }, b: { count: number }) => b.count - a.count
  return {
    shelves: [...shelves]
      .map(([shelf, kinds]) => ({
        shelf,
        count: [...kinds.values()].reduce((sum, mems) => sum + mems.length, 0),
        kinds: [...kinds]
          .map(([kind, mems]) => ({ kind, count: mems.length, newest: mems.slice(0, shown) }))
          .sort(bySize),
      }))
      .sort(bySize),
    archived: hive.store.archive.size(),
  }
}
