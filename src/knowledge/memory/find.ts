import * as z from "zod"
import { ALL } from "../../graph/indexes.ts"
import { isMemInForce } from "../../graph/lifecycle.ts"
import { isStale } from "../../graph/mem-status.ts"
import { countOf, registersOf } from "../../graph/metrics.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
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

/** Finds a mem, hot or archived, by its id or the beginning of its id. */
export function findMem({ store }: Hive, given: string): FoundMem {
  const { state } = store.read()
  const wanted = given.toLowerCase()
  const hot = state.mem.get(wanted)
  if (hot !== undefined) return { mem: hot, isArchived: false }
  // A mem that was brought back is in the graph and in the archive.
  const [archived, another] = store.archive.startingWith(wanted, 3).filter(({ id }) => !state.mem.has(id))
  try {
    const mem = state.mem.get(resolveId(state, "mem", wanted))
    if (mem !== undefined && archived === undefined) return { mem, isArchived: false }
    if (mem !== undefined) throw ambiguous(given)
  } catch (error) {
    if (archived === undefined) throw error
  }
  if (archived === undefined) throw missing(given)
  if (another !== undefined) throw ambiguous(given)
  return { mem: store.archive.get(archived.id) ?? archived, isArchived: true }
}

function missing(given: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no mem ${given}.`,
    why: "Neither the graph nor the archive has one with this id.",
    use_instead: "Use an id that a tool or the state has shown; recall finds mems by words.",
    evidence: given,
  })
}

function ambiguous(given: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `"${given}" is ambiguous.`,
    why: "Several mems have ids that begin with it.",
    use_instead: "Use more of the id.",
    evidence: given,
  })
}

export function listMems(hive: Hive, shelf?: string): Mem[] {
  const newest = [...hive.store.read().state.mem.by("in_force", ALL).backwards()]
  return shelf === undefined ? newest : newest.filter((mem) => mem.shelf === shelf)
}

/** Mems in force that have expired, the longest expired first. The next fold archives them. */
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

export interface Shelf {
  shelf: string
  count: number
  kinds: { kind: Mem["kind"]; count: number; newest: Mem[] }[]
}

/** A mem with its parts, newest first. */
export interface Family {
  mem: Mem
  count: number
  parts: Mem[]
}

/** Shelves and kinds, the largest first, and the mems with the newest parts. */
export function memTree(
  hive: Hive,
  shown: number,
): { shelves: Shelf[]; families: Family[]; archived: number } {
  const mems = listMems(hive)
  const shelves = [...grouped(mems, ({ shelf }) => shelf)].map(([shelf, onShelf]) => ({
    shelf,
    count: onShelf.length,
    kinds: [...grouped(onShelf, ({ kind }) => kind)]
      .map(([kind, all]) => ({ kind, count: all.length, newest: all.slice(0, shown) }))
      .sort(byCount),
  }))
  const { state } = hive.store.read()
  const parts = grouped(
    mems.filter(({ parent_mem_id }) => parent_mem_id !== null),
    ({ parent_mem_id }) => parent_mem_id ?? "",
  )
  const families = [...parts].slice(0, MAX_FAMILIES).flatMap(([id, all]) => {
    const mem = state.mem.get(id) ?? hive.store.archive.get(id)
    return mem === undefined ? [] : [{ mem, count: all.length, parts: all.slice(0, MAX_PARTS) }]
  })
  return { shelves: shelves.sort(byCount), families, archived: hive.store.archive.size() }
}

function byCount(a: { count: number }, b: { count: number }): number {
  return b.count - a.count
}

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

/**
 * Counts that mems were asked for and found. The counters are local and not in the log. Mems that a message brings along by
 * itself are not counted, or they would raise their own rank.
 */
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

/** How often this clone asked for a mem and found it, and when last. */
export function accessOf(state: GraphState, id: string): { count: number; at: string | null } {
  const at = registersOf(state, PREFIX + id)[LAST]
  return { count: countOf(state, PREFIX + id, TIMES), at: typeof at === "string" ? at : null }
}

/** True for the counter key of a mem; sessions have counters too. */
export function isMemKey(key: string): boolean {
  return key.startsWith(PREFIX)
}

const PREFIX = "mem:"
const TIMES = "recalled"
const LAST = "recalled_at"
