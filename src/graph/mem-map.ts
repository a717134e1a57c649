import type { Mem } from "../schemas/knowledge.ts"
import { isRetiredMem } from "./lifecycle.ts"

/** Ways to find mems without looking at all of them. Kept up with each change, so a turn costs the same at any size. */
export interface MemIndex {
  byTask: ReadonlyMap<string, ReadonlySet<Mem>>
  /** By the path of their evidence. */
  byPath: ReadonlyMap<string, ReadonlySet<Mem>>
  /** By the ids they are related to: who leans on that record. */
  byRelated: ReadonlyMap<string, ReadonlySet<Mem>>
  falsePaths: ReadonlySet<Mem>
  openDecisions: ReadonlySet<Mem>
  invalidated: ReadonlySet<Mem>
  /** Knowledge: active, no false path, nothing open. Newest first. */
  newest: readonly Mem[]
  /** The same by the time they go stale, soonest first; those that never do are not in it. */
  byStaleness: readonly Mem[]
}

/** The map of all mems, with an index over them that is made on first use. */
export class MemMap extends Map<string, Mem> {
  #index: ReturnType<typeof createIndex> | undefined
  readonly #changed = new Set<string>()

  override set(id: string, mem: Mem): this {
    if (this.#index !== undefined) this.#changed.add(id)
    return super.set(id, mem)
  }

  override delete(id: string): boolean {
    if (this.#index !== undefined) this.#changed.add(id)
    return super.delete(id)
  }

  get index(): MemIndex {
    if (this.#index === undefined) {
      this.#index = createIndex()
      this.#index.fill(this.values())
    }
    for (const id of this.#changed) this.#index.replace(id, this.get(id))
    this.#changed.clear()
    return this.#index.view
  }
}

export function memIndex(mems: ReadonlyMap<string, Mem>): MemIndex {
  return (mems instanceof MemMap ? mems : newMemMap(mems.values())).index
}

export function newMemMap(mems: Iterable<Mem> = []): MemMap {
  const map = new MemMap()
  for (const mem of mems) map.set(mem.id, mem)
  return map
}

function createIndex() {
  const known = new Map<string, Mem>()
  const byTask = new Map<string, Set<Mem>>()
  const byPath = new Map<string, Set<Mem>>()
  const byRelated = new Map<string, Set<Mem>>()
  const falsePaths = new Set<Mem>()
  const openDecisions = new Set<Mem>()
  const invalidated = new Set<Mem>()
  const newest: Mem[] = []
  const byStaleness: Mem[] = []

  /** Everything but the two sorted lists. */
  function change(mem: Mem, how: "add" | "delete"): boolean {
    const put = (map: Map<string, Set<Mem>>, key: string) => {
      const set = map.get(key) ?? new Set()
      set[how](mem)
      if (set.size > 0) map.set(key, set)
      else map.delete(key)
    }
    if (how === "add") known.set(mem.id, mem)
    else known.delete(mem.id)
    if (isRetiredMem(mem)) return false
    if (mem.origin_task_id !== null) put(byTask, mem.origin_task_id)
    for (const id of mem.related_to) put(byRelated, id)
    for (const evidence of mem.evidence) put(byPath, pathOf(evidence))
    if (mem.kind === "false_path") falsePaths[how](mem)
    else if (mem.status === "invalidated") invalidated[how](mem)
    else if (mem.resolved === false) openDecisions[how](mem)
    else return true
    return false
  }

  const view: MemIndex = {
    byTask,
    byPath,
    byRelated,
    falsePaths,
    openDecisions,
    invalidated,
    newest,
    byStaleness,
  }
  return {
    view,
    fill(mems: Iterable<Mem>): void {
      for (const mem of mems) if (change(mem, "add")) newest.push(mem)
      newest.sort(byNewest)
      for (const mem of newest) if (mem.stale_at !== null) byStaleness.push(mem)
      byStaleness.sort(bySoonest)
    },
    replace(id: string, mem: Mem | undefined): void {
      const before = known.get(id)
      if (before === mem) return
      if (before !== undefined && change(before, "delete")) {
        remove(newest, before, byNewest)
        if (before.stale_at !== null) remove(byStaleness, before, bySoonest)
      }
      if (mem !== undefined && change(mem, "add")) {
        insert(newest, mem, byNewest)
        if (mem.stale_at !== null) insert(byStaleness, mem, bySoonest)
      }
    },
  }
}

/** `src/a.ts` of `src/a.ts@1f3c…`. */
function pathOf(evidence: string): string {
  const at = evidence.lastIndexOf("@")
  return at > 0 ? evidence.slice(0, at) : evidence
}

type Order = (a: Mem, b: Mem) => number

// Times are compared as text: all are UTC in one format. Ids decide between equals, so that the order is the same everywhere.
const byNewest: Order = (a, b) => compare(b.created_at, a.created_at) || compare(a.id, b.id)
const bySoonest: Order = (a, b) => compare(a.stale_at ?? "", b.stale_at ?? "") || compare(a.id, b.id)

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function insert(list: Mem[], mem: Mem, order: Order): void {
  list.splice(placeIn(list, mem, order), 0, mem)
}

function remove(list: Mem[], mem: Mem, order: Order): void {
  const at = placeIn(list, mem, order)
  if (list[at]?.id === mem.id) list.splice(at, 1)
}

function placeIn(list: readonly Mem[], mem: Mem, order: Order): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const found = list[middle]
    if (found !== undefined && order(found, mem) < 0) low = middle + 1
    else high = middle
  }
  return low
}
