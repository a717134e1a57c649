import type { Records } from "../../graph/indexes.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { Store } from "../../store/store.ts"
import { failedTaskText, isFailedWork } from "./failed-task.ts"
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
 * Follows the graph by what changes in its maps of mems and tasks, whoever wrote it: saves, other processes, undo and sync
 * all end there. What leaves the map for the archive keeps its last text; whether it is there is asked when it is found.
 */
function openMemIndex(store: Store) {
  let index = new TermIndex()
  let followed: Followed | undefined
  let last: Promise<unknown> = Promise.resolve()

  function* build(state: GraphState): Pausing<void> {
    followed = follow(state)
    index = new TermIndex()
    try {
      for (const mem of state.mem.values()) {
        index.put(mem)
        yield
      }
      for (const task of state.task.by("status", "failed").snapshot()) {
        if (isFailedWork(task)) index.put(failedTaskText(task))
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

  function* catchUp({ mems, tasks, changed, gone, changedTasks }: Followed): Pausing<void> {
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
    for (const id of changedTasks) {
      changedTasks.delete(id)
      const task = tasks.get(id)
      if (isFailedWork(task)) index.put(failedTaskText(task))
      else index.remove(id)
      yield
    }
    if (index.needsSweep) yield* index.sweep()
  }

  function* refresh(): Pausing<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { state } = store.read()
      if (!isFollowed(followed, state)) yield* build(state)
      if (followed !== undefined) yield* catchUp(followed)
      // Much may have been written meanwhile, or the files read anew.
      if (isFollowed(followed, store.read().state) && isCaughtUp(followed)) return
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

/** What has changed since it was looked at last. */
interface Followed {
  mems: Records<"mem">
  tasks: Records<"task">
  changed: Set<string>
  gone: Map<string, Mem>
  changedTasks: Set<string>
}

function follow({ mem: mems, task: tasks }: GraphState): Followed {
  const changed = new Set<string>()
  const gone = new Map<string, Mem>()
  const changedTasks = new Set<string>()
  mems.watch((id, record) => {
    changed.add(id)
    if (record !== undefined) gone.set(id, record)
  })
  tasks.watch((id) => changedTasks.add(id))
  return { mems, tasks, changed, gone, changedTasks }
}

function isFollowed(followed: Followed | undefined, state: GraphState): followed is Followed {
  return followed?.mems === state.mem && followed.tasks === state.task
}

function isCaughtUp({ changed, changedTasks }: Followed): boolean {
  return changed.size + changedTasks.size === 0
}

const MAX_ASKED = 50
// Others may write without end: what they write from now on is for the next one who asks.
const MAX_ROUNDS = 3
