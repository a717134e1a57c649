import { recordIdOf } from "../../schemas/op.ts"
import { HiveError } from "../../shared/error.ts"
import { createQueue } from "../../shared/queue.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { withTimeout } from "../../shared/timeout.ts"
import type { Store } from "../../store/store.ts"
import { failedTaskText, isFailedWork } from "./failed-task.ts"
import { type Followed, follow, isCaughtUp, isFollowed } from "./followed.ts"
import { contentOf, mergedContent } from "./index-content.ts"
import { DamagedIndex, type IndexFile } from "./index-file.ts"
import type { Footer } from "./index-format.ts"
import { openIndexList } from "./index-list.ts"
import { WordIndex } from "./word-index.ts"

const indexes = new WeakMap<Store, ReturnType<typeof openMemIndex>>()

/**
 * Works with the index over all mems of a store, as new as the store. All of it runs in slices, one caller after another:
 * nothing changes the index while a caller works with it.
 */
export function withMemIndex<T>(store: Store, work: (index: WordIndex) => Pausing<T>): Promise<T> {
  return indexOf(store).use(work)
}

/** Brings the index up to date, for the next caller. */
export function warmMemIndex(store: Store): Promise<void> {
  return withMemIndex(store, function* () {})
}

/** Settles when no more than so many mems have to be put into files. Rejects with what went wrong there. */
export function memIndexFiled(store: Store, most?: number): Promise<void> {
  return indexOf(store).filed(most)
}

/** True while archived mems are still being put into the index: recall may miss some. */
export function isIndexPartial(store: Store): boolean {
  return indexOf(store).isPartial()
}

function indexOf(store: Store): ReturnType<typeof openMemIndex> {
  const index = indexes.get(store) ?? openMemIndex(store)
  indexes.set(store, index)
  return index
}

/**
 * Follows the graph by what changes in its maps of mems and tasks, whatever wrote it: saves, other processes, undo and sync
 * all end there. In a large graph most of the index is in files. They hold all changes up to an entry of the log: what came
 * after it is read from the log when the index is opened. A mem that leaves the map for the archive stays in the index.
 */
function openMemIndex(store: Store) {
  const files = store.index
  const disk = files === undefined ? undefined : openIndexList(files)
  const queue = createQueue()
  let index = new WordIndex()
  let followed: Followed | undefined
  /** Archived mems up to this id are in the index; null: all. */
  let walked: string | null = null
  /** Up to which entry the files have all changes; undefined without files. */
  let after: string | undefined
  let isDamaged = false
  let filing: Promise<void> | undefined
  /** The step of it that is under way. */
  let step: Promise<boolean> | undefined
  /** Why the index could not be put on disk, and when; it is tried again some minutes later. */
  let trouble: { error: unknown; at: number } | undefined

  /** Opens the files of the index, and notes all that is not in them as changed. */
  async function begin(): Promise<void> {
    const { state } = store.read()
    if (isFollowed(followed, state)) return
    const begun = follow(state)
    followed = begun
    try {
      // Also of damaged files the list has to be known: it is compared before it is replaced.
      const found = disk === undefined ? undefined : await runInSlices(disk.load())
      const loaded = isDamaged ? undefined : found
      const part = { kinds: ["mem" as const], limit: MAX_TAIL }
      const tail = loaded === undefined ? [] : await store.log({ ...part, after: loaded.list.after })
      const isUsed = loaded !== undefined && tail.length < MAX_TAIL
      index = new WordIndex(isUsed ? loaded.files : [])
      after = isUsed ? loaded.list.after : undefined
      walked = isUsed ? loaded.list.walked : ""
      // One that only left for the archive is in the files as it was.
      for (const op of tail.flatMap(({ ops }) => ops))
        if ("kind" in op && op.op !== "archive") begun.changed.add(recordIdOf(op))
      // An edit by hand is not in the log yet.
      if (!isUsed || store.health().edited.length > 0)
        for (const id of state.mem.keys()) begun.changed.add(id)
      for (const { id } of state.task.by("status", "failed").snapshot()) begun.changedTasks.add(id)
    } catch (error) {
      followed = undefined
      throw error
    }
  }

  function* catchUp({ mems, tasks, changed, gone, left, changedTasks }: Followed): Pausing<void> {
    let asked = 0
    for (const id of changed) {
      const before = gone.get(id)
      const isAsIndexed = left.has(id) && index.has(id)
      changed.delete(id)
      gone.delete(id)
      left.delete(id)
      const record = mems.get(id)
      yield
      if (record !== undefined) {
        index.put(record)
        continue
      }
      // Dropped, or put away. Of many, those that were dropped show when they are found.
      const archived = before === undefined || ++asked <= MAX_ASKED ? store.archive.get(id) : before
      if (archived === undefined) index.remove(id)
      else if (!isAsIndexed) index.put(archived)
    }
    for (const id of changedTasks) {
      changedTasks.delete(id)
      const task = tasks.get(id)
      if (isFailedWork(task)) index.put(failedTaskText(task))
      else index.remove(id)
      yield
    }
    if (index.memory.needsSweep) yield* index.memory.sweep()
  }

  /** Puts so many archived mems into the index that are not in it yet. */
  function* walk(most: number): Pausing<void> {
    if (walked === null) return
    let count = 0
    // Those of lost files come first, in no order: they do not say how far the walk has come.
    for (const mem of store.archive.walk((id) => index.has(id), BEHIND_ALL)) {
      yield
      if (mem === undefined) continue
      index.put(mem)
      if (++count >= most) return
    }
    for (const mem of store.archive.walk((id) => index.has(id), walked)) {
      yield
      if (mem === undefined) continue
      index.put(mem)
      walked = mem.id
      if (++count >= most) return
    }
    walked = null
  }

  async function refresh(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await begin()
      if (followed === undefined) continue
      try {
        await runInSlices(catchUp(followed))
      } catch (error) {
        // Half of it would pass for all of it: the next one begins anew.
        followed = undefined
        throw error
      }
      // Much may have been written meanwhile, or the files read anew.
      if (isFollowed(followed, store.read().state) && isCaughtUp(followed)) return
    }
  }

  /**
   * Runs a job on the newest index. Another process may have replaced its files: then the list is read again. Where that
   * does not help, they are damaged, and are given up.
   */
  function run<T>(job: () => Promise<T>): Promise<T> {
    return queue.run(async () => {
      await store.ready()
      // The store removes the list when archived mems come back that the files may not have.
      if (disk?.compare() === "gone") followed = undefined
      try {
        for (let tries = 1; ; tries++)
          try {
            return await refreshed(job)
          } catch (error) {
            if (!(error instanceof DamagedIndex) || tries === MAX_TRIES) throw error
            isDamaged ||= tries > 1
            followed = undefined
          }
      } finally {
        index.close()
      }
    })
  }

  async function refreshed<T>(job: () => Promise<T>): Promise<T> {
    const before = followed
    await refresh()
    if (followed !== before)
      await runInSlices(walk(disk === undefined ? Number.POSITIVE_INFINITY : WALKED_FIRST))
    return job()
  }

  /** A lock that others hold is no trouble: the next one who asks tries again. */
  function noteTrouble(error: unknown): void {
    const isBusy = error instanceof HiveError && error.code === "locked"
    if (!isBusy) trouble = { error, at: files?.now() ?? 0 }
  }

  function isTroubled(): boolean {
    return trouble !== undefined && files !== undefined && files.now() - trouble.at < TRY_AGAIN_MS
  }

  /** How many mems are in memory only. */
  function unfiled(): number {
    return index.memory.size - store.read().state.task.by("status", "failed").size
  }

  /** Puts all that is in memory only into a file, if there is that much; false where it is not tried. */
  async function fileMemory(least: number): Promise<boolean> {
    if (disk === undefined || unfiled() < least) return false
    // First how far the log goes, then what it says: so nothing is left out.
    const newest = (await store.log({ limit: 1 }))[0]?.id
    await refresh()
    if (newest === undefined) return false
    const made = await disk.write(contentOf(index.memory, deadIn(index.files)))
    const kept = index.files
    if (!(await useFiles(new WordIndex([...kept, made]), newest))) return true
    for (const file of kept) file.killed.clear()
    for (const { id } of followed?.tasks.by("status", "failed").snapshot() ?? [])
      followed?.changedTasks.add(id)
    await refresh()
    return true
  }

  /** False where another process was faster: what it made is read then. */
  async function useFiles(next: WordIndex, newest: string): Promise<boolean> {
    const list = { after: newest, walked, files: next.files.map(({ listed }) => listed) }
    if (!(await disk?.replace(list))) {
      followed = undefined
      isDamaged = false
      return false
    }
    isDamaged = false
    trouble = undefined
    after = newest
    index.close()
    index = next
    return true
  }

  /** Puts the newest files together, those from a number on. Others use the index meanwhile. */
  async function mergeFiles(from: number): Promise<void> {
    const sources = index.files.slice(from)
    const names = index.files.slice(0, from).map(({ listed }) => listed.file)
    const merged = await writeMerged(sources, names).catch(async (error: unknown) => {
      if (!(error instanceof DamagedIndex)) throw error
      await queue.run(async () => {
        isDamaged = disk?.compare() === "same"
        followed = undefined
      })
    })
    await files?.unlocked()
    await run(async () => {
      const isSame = sources.every((file, n) => file === index.files[from + n])
      if (!isSame || merged === undefined || after === undefined) return
      const { made, copies, rows } = merged
      for (const [n, { lengths }] of sources.entries())
        for (let doc = 0; doc < lengths.length; doc++)
          // It stopped counting meanwhile.
          if (lengths[doc] === 0 && copies[n]?.lengths[doc] !== 0) made.kill(rows[n]?.[doc] ?? 0)
      await useFiles(new WordIndex([...index.files.slice(0, from), made], index.memory), after)
    })
  }

  async function writeMerged(sources: readonly IndexFile[], names: readonly string[]) {
    const copies = sources.map((file) => file.copy())
    const { content, rows } = mergedContent(copies, deadOf(sources, names))
    const made = await disk?.write(content).finally(() => {
      for (const copy of copies) copy.close()
    })
    return made === undefined ? undefined : { made, copies, rows }
  }

  /** One step of filing. False where there is nothing to do. */
  async function fileSome(): Promise<boolean> {
    const from = firstToMerge(index.files)
    const least = walked === null || index.files.length === 0 ? FILED_AT : FILED_AT_ONCE
    if (from < index.files.length) {
      await mergeFiles(from)
      return true
    }
    if (unfiled() < least) return false
    // Others may hold the lock for long: those who ask meanwhile do not wait for it.
    await files?.unlocked()
    return run(() => fileMemory(least))
  }

  /** The archive is put into the index also where nothing can be written. */
  async function fileAll(): Promise<void> {
    let isFiling = !isTroubled()
    if (isFiling) trouble = undefined
    while (files?.isClosed() === false) {
      step = isFiling ? fileSome() : Promise.resolve(false)
      step = step.catch((error: unknown) => {
        noteTrouble(error)
        isFiling = false
        return false
      })
      if (await step) continue
      if (walked === null) return
      await run(() => runInSlices(walk(WALKED_AT_ONCE)))
    }
  }

  function startFiling(): void {
    if (disk === undefined || followed === undefined || filing !== undefined) return
    filing = fileAll()
      .catch(noteTrouble)
      .finally(() => {
        filing = undefined
      })
  }

  return {
    async use<T>(work: (index: WordIndex) => Pausing<T>): Promise<T> {
      const isFirst = followed === undefined
      const result = await run(() => runInSlices(work(index)))
      startFiling()
      // A process that only asks one thing would leave the work to the next one.
      if (isFirst && step !== undefined && files?.isLocked() === false)
        await withTimeout(step, FIRST_FILING_MS)
      return result
    },
    async filed(most = FILED_AT): Promise<void> {
      await files?.unlocked()
      await run(() => fileMemory(most + 1))
      startFiling()
      await filing
      if (trouble !== undefined) throw trouble.error
    },
    isPartial: () => followed !== undefined && walked !== null,
  }
}

/** What stopped counting in each file since the list was written. */
function deadIn(files: readonly IndexFile[]): Footer["dead"] {
  return Object.fromEntries(files.map(({ listed, killed }) => [listed.file, [...killed]]))
}

/** What files say of older ones that stay. */
function deadOf(files: readonly IndexFile[], names: readonly string[]): Footer["dead"] {
  return Object.fromEntries(names.map((name) => [name, files.flatMap(({ dead }) => dead[name] ?? [])]))
}

/** The first of the files that are not much larger than all that came after them: those are put together. */
function firstToMerge(files: readonly IndexFile[]): number {
  let first = files.length - 1
  let docs = files[first]?.listed.docs ?? 0
  for (; first > 0; first--) {
    const before = files[first - 1]?.listed.docs ?? 0
    if (before > MUCH_LARGER * docs) break
    docs += before
  }
  return first < files.length - 1 ? first : files.length
}

const MAX_ASKED = 50
const MAX_TRIES = 3
const TRY_AGAIN_MS = 5 * 60_000
const FIRST_FILING_MS = 3000
// No id begins like that.
const BEHIND_ALL = "~"
// Others may write without end: what they write from now on is for the next one who asks.
const MAX_ROUNDS = 3
// More entries than that are read no faster than all mems.
const MAX_TAIL = 20_000
// So many are put into the index before the first answer, which takes about a second.
const WALKED_FIRST = 20_000
const WALKED_AT_ONCE = 2000
// A process that opens the index has to make terms of fewer mems than that.
const FILED_AT = 1000
const FILED_AT_ONCE = 10_000
const MUCH_LARGER = 4
