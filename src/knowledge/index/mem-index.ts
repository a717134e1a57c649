import type { Records } from "../../graph/indexes.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { recordIdOf } from "../../schemas/op.ts"
import { HiveError } from "../../shared/error.ts"
import { createQueue } from "../../shared/queue.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { withTimeout } from "../../shared/timeout.ts"
import type { Store } from "../../store/store.ts"
import { mergeParts, openDiskIndex } from "./disk-index.ts"
import { DamagedIndex, type DiskPart } from "./disk-part.ts"
import { failedTaskText, isFailedWork } from "./index-part.ts"
import { WordIndex } from "./word-index.ts"

const indexes = new WeakMap<Store, ReturnType<typeof openMemIndex>>()

/** Runs work on the up-to-date index over all mems of a store, in slices. Calls run one after another. */
export function withMemIndex<T>(store: Store, work: (index: WordIndex) => Pausing<T>): Promise<T> {
  return indexOf(store).use(work)
}

/** Brings the index up to date for the next caller. */
export function warmMemIndex(store: Store): Promise<void> {
  return withMemIndex(store, function* () {})
}

/** Settles when at most this many mems are in memory only. Rejects with the error if they could not be written. */
export function memIndexFiled(store: Store, most?: number): Promise<void> {
  return indexOf(store).filed(most)
}

/** True while archived mems are still being indexed: recall may miss some. */
export function isIndexPartial(store: Store): boolean {
  return indexOf(store).isPartial()
}

function indexOf(store: Store): ReturnType<typeof openMemIndex> {
  const index = indexes.get(store) ?? openMemIndex(store)
  indexes.set(store, index)
  return index
}

/**
 * Follows the graph through its maps of mems and tasks: saves, other processes, undo and sync all change those. Most of a
 * large index is in files. They hold all changes up to an entry of the log; later ones are read from the log when the index
 * is opened. A mem that leaves the map for the archive stays in the index.
 */
function openMemIndex(store: Store) {
  const files = store.index
  const disk = files === undefined ? undefined : openDiskIndex(files)
  const queue = createQueue()
  let index = new WordIndex()
  let followed: Followed | undefined
  /** Archived mems up to this id are indexed; null: all. */
  let walked: string | null = null
  /** The files have all changes up to this entry; undefined without files. */
  let after: string | undefined
  let isDamaged = false
  let filing: Promise<void> | undefined
  let filingStep: Promise<boolean> | undefined
  /** Why the index could not be written, and when. */
  let trouble: { error: unknown; at: number } | undefined

  /** Opens the files of the index, and notes all that they do not have as changed. */
  async function begin(): Promise<void> {
    const { state } = store.read()
    if (isFollowed(followed, state)) return
    const begun = follow(state)
    followed = begun
    try {
      // Damaged files are loaded too: replacing the list needs to know the present one.
      const found = disk === undefined ? undefined : await runInSlices(disk.load())
      const loaded = isDamaged ? undefined : found
      const part = { kinds: ["mem" as const], limit: MAX_TAIL }
      const tail = loaded === undefined ? [] : await store.log({ ...part, after: loaded.after })
      const used = tail.length < MAX_TAIL ? loaded : undefined
      index = new WordIndex(used?.files)
      after = used?.after
      walked = used === undefined ? "" : used.walked
      // A mem that only left for the archive is already in the files.
      for (const op of tail.flatMap(({ ops }) => ops))
        if ("kind" in op && op.op !== "archive") begun.changed.set(recordIdOf(op), undefined)
      if (used === undefined) for (const id of state.mem.keys()) begun.changed.set(id, undefined)
      for (const { id } of state.task.by("status", "failed").snapshot()) begun.changedTasks.add(id)
    } catch (error) {
      followed = undefined
      throw error
    }
  }

  function* catchUp({ mems, tasks, changed, changedTasks }: Followed): Pausing<void> {
    let looked = 0
    for (const [id, removed] of changed) {
      const isAsIndexed = removed?.isAsIndexed === true && index.has(id)
      changed.delete(id)
      const record = mems.get(id)
      yield
      if (record !== undefined) {
        index.put(record)
        continue
      }
      // Dropped or archived. Looking into the archive is slow, so for many the last record is trusted: recall finds out later.
      const isTrusted = removed !== undefined && ++looked > MAX_ARCHIVE_LOOKUPS
      const archived = isTrusted ? removed.record : store.archive.get(id)
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

  /** Indexes up to this many archived mems that are not indexed yet. */
  function* walk(most: number): Pausing<void> {
    let left = most
    function* take(from: string, onPut: (id: string) => void): Pausing<boolean> {
      for (const mem of store.archive.walk((id) => index.has(id), from)) {
        yield
        if (mem === undefined) continue
        index.put(mem)
        onPut(mem.id)
        if (--left <= 0) return false
      }
      return true
    }
    if (walked === null) return
    // First those of lost files, which come in no order and therefore do not move `walked`.
    if (!(yield* take(AFTER_ALL_IDS, () => {}))) return
    const isDone = yield* take(walked, (id) => {
      walked = id
    })
    if (isDone) walked = null
  }

  async function refresh(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await begin()
      if (followed === undefined) continue
      try {
        await runInSlices(catchUp(followed))
      } catch (error) {
        // A half-updated index would pass for a complete one.
        followed = undefined
        throw error
      }
      const isCaughtUp = followed.changed.size + followed.changedTasks.size === 0
      if (isFollowed(followed, store.read().state) && isCaughtUp) return
    }
  }

  /**
   * Runs a job on the up-to-date index. A damaged file may only have been replaced by another process, so the list is read
   * again first; if that does not help, the files are given up.
   */
  function run<T>(job: () => Promise<T>): Promise<T> {
    return queue.run(async () => {
      await store.ready()
      // The store removes the list when archived mems come back that the files may not have.
      if (disk?.compare() === "gone") followed = undefined
      try {
        for (let tries = 1; ; tries++)
          try {
            const before = followed
            await refresh()
            if (followed !== before)
              await runInSlices(walk(disk === undefined ? Number.POSITIVE_INFINITY : WALKED_FIRST))
            return await job()
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

  /** Failed tasks stay in memory. */
  function unfiled(): number {
    return index.memory.size - store.read().state.task.by("status", "failed").size
  }

  /** Writes entries that are only in memory to a file, if there are at least this many. False if nothing was tried. */
  async function fileMemory(least: number): Promise<boolean> {
    if (disk === undefined || unfiled() < least) return false
    // The end of the log has to be known before the index is refreshed, so that nothing is left out.
    const newest = (await store.log({ limit: 1 }))[0]?.id
    await refresh()
    if (newest === undefined) return false
    const made = await disk.write(mergeParts([index.memory]).content)
    if (!(await useFiles(new WordIndex([...index.files, made]), newest))) return true
    for (const { id } of followed?.tasks.by("status", "failed").snapshot() ?? [])
      followed?.changedTasks.add(id)
    await refresh()
    return true
  }

  /** False if another process has changed the list: then its files are read. */
  async function useFiles(next: WordIndex, newest: string): Promise<boolean> {
    const isReplaced = await disk?.replaceList({ after: newest, walked }, next.files)
    isDamaged = false
    if (isReplaced !== true) {
      followed = undefined
      return false
    }
    trouble = undefined
    after = newest
    index.close()
    index = next
    return true
  }

  /** Merges the newest files, from this one on. The index is in use meanwhile. */
  async function mergeFiles(from: number): Promise<void> {
    const sources = index.files.slice(from)
    const copies = sources.map((file) => file.copy())
    const { content, rows } = mergeParts(copies)
    let merged: DiskPart | undefined
    try {
      merged = await disk?.write(content)
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error
      await queue.run(async () => {
        isDamaged = disk?.compare() === "same"
        followed = undefined
      })
    } finally {
      for (const copy of copies) copy.close()
    }
    await files?.unlocked()
    await run(async () => {
      const isSame = sources.every((file, n) => file === index.files[from + n])
      if (!isSame || merged === undefined || after === undefined) return
      for (const [n, { lengths }] of sources.entries())
        for (let doc = 0; doc < lengths.length; doc++)
          // Removed meanwhile.
          if (lengths[doc] === 0 && copies[n]?.lengths[doc] !== 0) merged.remove(rows[n]?.[doc] ?? 0)
      await useFiles(new WordIndex([...index.files.slice(0, from), merged], index.memory), after)
    })
  }

  /** Merges files or writes one. False if there is nothing to do. */
  async function fileSome(): Promise<boolean> {
    const from = firstToMerge(index.files)
    if (from < index.files.length) {
      await mergeFiles(from)
      return true
    }
    const least = walked === null || index.files.length === 0 ? FILED_AT : FILED_AT_ONCE
    if (unfiled() < least) return false
    // Waits for the lock outside of the queue, so that recalls do not wait for it.
    await files?.unlocked()
    return run(() => fileMemory(least))
  }

  /** Writes all entries to files if possible, and indexes the whole archive even if nothing can be written. */
  async function fileAll(): Promise<void> {
    const isTroubled = trouble !== undefined && files !== undefined && files.now() - trouble.at < TRY_AGAIN_MS
    let isFiling = !isTroubled
    if (isFiling) trouble = undefined
    while (files?.isClosed() === false) {
      filingStep = isFiling ? fileSome() : Promise.resolve(false)
      filingStep = filingStep.catch((error: unknown) => {
        noteTrouble(error)
        isFiling = false
        return false
      })
      if (await filingStep) continue
      if (walked === null) return
      await run(() => runInSlices(walk(WALKED_AT_ONCE)))
    }
  }

  /** A lock that another process holds is no trouble: the next call tries again. */
  function noteTrouble(error: unknown): void {
    const isBusy = error instanceof HiveError && error.code === "locked"
    if (!isBusy) trouble = { error, at: files?.now() ?? 0 }
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
      // A process with a single question would leave the work to the next one.
      if (isFirst && filingStep !== undefined && files?.isLocked() === false)
        await withTimeout(filingStep, FIRST_FILING_MS)
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

/** The maps that the index was last updated from. */
interface Followed {
  mems: Records<"mem">
  tasks: Records<"task">
  /** By id; for a mem that was removed from the map, its last record, and whether the index already has that version. */
  changed: Map<string, { record: Mem; isAsIndexed: boolean } | undefined>
  changedTasks: Set<string>
}

function follow({ mem: mems, task: tasks }: GraphState): Followed {
  const changed: Followed["changed"] = new Map()
  const changedTasks = new Set<string>()
  mems.watch((id, removed) => {
    changed.set(id, removed && { record: removed, isAsIndexed: !changed.has(id) })
  })
  tasks.watch((id) => changedTasks.add(id))
  return { mems, tasks, changed, changedTasks }
}

function isFollowed(followed: Followed | undefined, state: GraphState): followed is Followed {
  return followed?.mems === state.mem && followed.tasks === state.task
}

/** The first of the newest files that are to be merged: those that are not much larger than all files after them. */
function firstToMerge(files: readonly DiskPart[]): number {
  let first = files.length - 1
  let docs = files[first]?.range ?? 0
  for (; first > 0; first--) {
    const before = files[first - 1]?.range ?? 0
    if (before > MUCH_LARGER * docs) break
    docs += before
  }
  return first < files.length - 1 ? first : files.length
}

const MAX_ARCHIVE_LOOKUPS = 50
const MAX_TRIES = 3
const TRY_AGAIN_MS = 5 * 60_000
const FIRST_FILING_MS = 3000
// No id begins with this.
const AFTER_ALL_IDS = "~"
// Others may write without end: later changes are left to the next call.
const MAX_ROUNDS = 3
// Reading more entries takes longer than reading all mems.
const MAX_TAIL = 20_000
// Archived mems that are indexed before the first answer, in about a second.
const WALKED_FIRST = 20_000
const WALKED_AT_ONCE = 2000
// Entries that are only in memory are indexed again by every process that opens the index.
const FILED_AT = 1000
const FILED_AT_ONCE = 10_000
const MUCH_LARGER = 4
