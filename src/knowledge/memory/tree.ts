import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { listMems } from "./list.ts"

/** How many mems of each kind stand on each shelf, the fullest shelf first; with the newest ones of each kind. */
export interface Shelf {
  shelf: string
  count: number
  kinds: { kind: Mem["kind"]; count: number; newest: Mem[] }[]
}

/** A mem with its parts, the newest first. */
export interface Family {
  mem: Mem
  count: number
  parts: Mem[]
}

export function memTree(
  hive: Hive,
  shown: number,
): { shelves: Shelf[]; families: Family[]; archived: number } {
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
    families: familiesOf(hive),
    archived: hive.store.archive.size(),
  }
}

/** Those whose newest part is the newest; they themselves may be in the archive. */
function familiesOf(hive: Hive): Family[] {
  const { state } = hive.store.read()
  const parents = new Map<string, Mem[]>()
  for (const mem of listMems(hive)) {
    if (mem.parent_mem_id === null) continue
    const parts = parents.get(mem.parent_mem_id)
    if (parts === undefined) parents.set(mem.parent_mem_id, [mem])
    else parts.push(mem)
  }
  return [...parents].slice(0, MAX_FAMILIES).flatMap(([id, parts]) => {
    const mem = state.mem.get(id) ?? hive.store.archive.get(id)
    return mem === undefined ? [] : [{ mem, count: parts.length, parts: parts.slice(0, MAX_PARTS) }]
  })
}

const MAX_FAMILIES = 8
const MAX_PARTS = 6
