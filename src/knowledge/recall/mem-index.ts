import type { Records } from "../../graph/indexes.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { Store } from "../../store/store.ts"
import { TermIndex } from "./term-index.ts"

const indexes = new WeakMap<Store, ReturnType<typeof openMemIndex>>()

/**
 * Works with the index over all mems of a store, as new as the store; built when it is first asked for. All of it runs in
 * slices, one caller after another: nothing changes the index while somebody works with it.
 */
export function withMemIndex<T>(store: Store, work: (index: TermIndex) => Pausing<T>): Promise<T> {
  const index = indexes.get(store) ?? openMemIndex(store)
  indexes.set(store, index)
  return index.use(work)
}

/** Brings the index up to date, for whoever asks next. */
export function warmMemIndex(store: Store): Promise<void> {
  return withMemIndex(store, function* () {})
}

/**
 * Follows the graph by what changes in its map of mems, whoever wrote it: saves, other processes, undo and sync all end
 * there. What leaves the map for the archive keeps its last text; whether it is there is asked when it is found.
 */
function openMemIndex(store: Store) {
  let index = new TermIndex()
  let followed: Records<"mem"> | undefined
  let changed = new Set<string>()
  let gone = new Map<string, Mem>()
  let last: Promise<unknown> = Promise.resolve()

  function follow(mems: Records<"mem">): void {
    followed = mems
    changed = new Set()
    gone = new Map()
    mems.watch((id, record) => {
      if (mems !== followed) return
      changed.add(id)
      if (record !== undefined) gone.set(id, record)
    })
  }

  function* build(mems: Records<"mem">): Pausing<void> {
    follow(mems)
    index = new TermIndex()
    try {
      for (const mem of mems.values()) {
        index.put(mem)
        yield
      }
      for (const mem of store.archive.walk((id) => index.has(id))) {
        if (mem !== undefined) index.put(mem)
        yield
      }
    } catch (error) {
      // Half of it would pass for all of it: the next one begins anew.
      followed = undefined
      throw error
    }
  }

  function* catchUp(mems: Records<"mem">): Pausing<void> {
    let asked = 0
    for (const id of changed) {
      changed.delete(id)
      const record = mems.get(id)
      const left = gone.get(id)
      gone.delete(id)
      if (record !== undefined) index.put(record)
      // Taken back, or put away. Of many, those that were taken back show when they are found.
      else if (left === undefined || (++asked <= MAX_ASKED && !store.archive.has(id))) index.remove(id)
      else index.put(left)
      yield
    }
    if (index.needsSweep) yield* index.sweep()
  }

  function* refresh(): Pausing<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { mem: mems } = store.read().state
      if (mems !== followed) yield* build(mems)
      yield* catchUp(mems)
      // Much may have been written meanwhile, or the files read anew.
      if (store.read().state.mem === followed && changed.size === 0) return
    }
  }

  function* refreshed<T>(work: (index: TermIndex) => Pausing<T>): Pausing<T> {
    yield* refresh()
    return yield* work(index)
  }

  return {
    use<T>(work: (index: TermIndex) => Pausing<T>): Promise<T> {
      const turn = last.then(async () => {
        await store.ready()
        return runInSlices(refreshed(work))
      })
      last = turn.catch(() => {}) // Its caller is told.
      return turn
    },
  }
}

const MAX_ASKED = 50
// Others may write without end: what they write from now on is for the next one who asks.
const MAX_ROUNDS = 3
