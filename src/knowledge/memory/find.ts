import * as z from "zod"
import { ALL } from "../../graph/indexes.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { isStale } from "../../graph/mem-status.ts"
import { countOf, registersOf } from "../../graph/metrics.ts"
import { first } from "../../graph/record-map.ts"
import { idsLike } from "../../graph/resolve-id.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { type Mem, memKind } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"

export const recallQuery = z.strictObject({
  query: z.string().trim().min(1).max(100_000),
  limit: z.number().int().min(1).max(1000).optional(),
  kinds: z.array(memKind).optional(),
})
export type RecallQuery = z.infer<typeof recallQuery>

export interface FoundMem {
  mem: Mem
  isArchived: boolean
}

export function findMem({ store }: Hive, given: string): FoundMem {
  const { state } = store.read()
  const hot = state.mem
  const wanted = given.toLowerCase()
  const exact = hot.get(wanted)
  // Most callers pass a whole id, so the archive's files need not be read.
  if (exact !== undefined) return { mem: exact, isArchived: false }
  // A restored mem is in the graph and in the archive, so the ids are counted in a set.
  const archived = store.archive.startingWith(wanted, 3)
  const ids = new Set([
    ...first(3, idsLike(recordsOf(state, "mem"), wanted)),
    ...archived.map(({ id }) => id),
  ])
  const [id = ""] = ids
  const mem = hot.get(id) ?? store.archive.get(id) ?? archived[0]
  if (mem === undefined || ids.size > 1) throw notOne(given, [...ids])
  return { mem, isArchived: !hot.has(id) }
}

function notOne(given: string, ids: readonly string[]): HiveError {
  const isMissing = ids.length === 0
  return new HiveError({
    code: "not_found",
    what: isMissing ? `There is no mem ${given}.` : `"${given}" is ambiguous.`,
    why: isMissing
      ? "Neither the graph nor the archive has a mem with this id."
      : "The ids of several mems begin with these characters.",
    use_instead: isMissing
      ? "Use an id that a tool or the state has shown; recall finds mems by words."
      : "Use more of the id.",
    evidence: ids.join(", ") || given,
  })
}

export function listMems(hive: Hive, shelf?: string): Mem[] {
  const newest = [...hive.store.read().state.mem.by("in_force", ALL).backwards()]
  return shelf === undefined ? newest : newest.filter((mem) => mem.shelf === shelf)
}

/** Active mems that have expired, the longest expired first. The next fold moves them to the archive. */
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

export type Shelf = ReturnType<typeof memTree>["shelves"][number]

export function memTree(hive: Hive, shown: number) {
  const mems = listMems(hive)
  const shelves = [...grouped(mems, ({ shelf }) => shelf)].map(([shelf, onShelf]) => ({
    shelf,
    count: onShelf.length,
    kinds: [...grouped(onShelf, ({ kind }) => kind)]
      .map(([kind, all]) => ({ kind, count: all.length, newest: all.slice(0, shown) }))
      .sort(byCount),
  }))
  const { state } = hive.store.read()
  const withParent = mems.filter(({ parent_mem_id }) => parent_mem_id !== null)
  const parts = grouped(withParent, ({ parent_mem_id }) => parent_mem_id ?? "")
  const families = [...parts].slice(0, MAX_FAMILIES).flatMap(([id, all]) => {
    const mem = state.mem.get(id) ?? hive.store.archive.get(id)
    return mem === undefined ? [] : [{ mem, count: all.length, parts: all.slice(0, MAX_PARTS) }]
  })
  return { shelves: shelves.sort(byCount), families, archived: hive.store.archive.size() }
}

const byCount = (a: { count: number }, b: { count: number }): number => b.count - a.count

function grouped<K>(mems: readonly Mem[], keyOf: (mem: Mem) => K): Map<K, Mem[]> {
  const groups = new Map<K, Mem[]>()
  for (const mem of mems) {
    const group = groups.get(keyOf(mem))
    if (group === undefined) groups.set(keyOf(mem), [mem])
    else group.push(mem)
  }
  return groups
}

const MAX_FAMILIES = 8
const MAX_PARTS = 6

/** Counts how often mems were recalled. Mems shown for a message do not count: they would raise their own rank. */
export async function countAccess(hive: Hive, caller: Caller, mems: readonly Mem[]): Promise<void> {
  if (mems.length === 0) return
  const at = new Date(hive.source.now()).toISOString()
  await hive.store.append(authorOf(caller), (tx) => {
    for (const { id } of mems) {
      tx.count(PREFIX + id, TIMES)
      tx.register(PREFIX + id, LAST, at)
    }
  })
}

export function accessOf(state: GraphState, id: string): { count: number; at: string | null } {
  const at = registersOf(state, PREFIX + id)[LAST]
  return { count: countOf(state, PREFIX + id, TIMES), at: typeof at === "string" ? at : null }
}

export const isMemKey = (key: string): boolean => key.startsWith(PREFIX)

const PREFIX = "mem:"
const TIMES = "recalled"
const LAST = "recalled_at"
