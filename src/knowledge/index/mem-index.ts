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

export function memIndexOf(store: Store): ReturnType<typeof openMemIndex> {
  const index = indexes.get(store) ?? openMemIndex(store)
  indexes.set(store, index)
  return index
}

/** Keeps the recall index up to date by watching the graph. Its files contain all changes up to one log entry (`after`). */
function openMemIndex(store: Store) {
  const files = store.index
  const disk = files === undefined ? undefined : openDiskIndex(files)
  const queue = createQueue()
  let index = new WordIndex()
  let followed: Followed | undefined
  /** The id of the last archived mem that is indexed, in the order of ids; null if all of them are. */
  let walked: string | null = null
  /** The last log entry whose changes are in the files; undefined without files. */
  let after: string | undefined
  let isDamaged = false
  let filing: Promise<void> | undefined
  let filingStep: Promise<boolean> | undefined
  let trouble: { error: unknown; at: number } | undefined

  /** Opens the index files and marks every mem that they lack as changed. */
  async function begin(): Promise<void> {
    const { state } = store.read()
    if (isFollowed(followed, state)) return
    const begun = follow(state)
    followed = begun
    try {
      // The list is loaded even if files are damaged, because `replaceList` compares it with the list on disk.
      const found = disk === undefined ? undefined : await runInSlices(disk.load())
      const loaded = isDamaged ? undefined : found
      const part = { kinds: ["mem" as const], limit: MAX_TAIL }
      const tail = loaded === undefined ? [] : await store.log({ ...part, after: loaded.after })
      const used = tail.length < MAX_TAIL ? loaded : undefined
      index = new WordIndex(used?.files)
      after = used?.after
      walked = used === undefined ? "" : used.walked
      // Moving a mem to the archive does not change its entry in the files.
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
      // A mem that left the graph was dropped or archived. Asking the archive is slow, so soon all count as archived.
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
  }

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
    // Mems of lost archive files come first. The store has them in memory and unsorted, so they must not change `walked`.
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
        // The index opens anew next time, because a half-updated one would pass for complete.
        followed = undefined
        throw error
      }
      if (index.memory.isWasteful) {
        index.close()
        followed = undefined
        continue
      }
      const isCaughtUp = followed.changed.size + followed.changedTasks.size === 0
      if (isFollowed(followed, store.read().state) && isCaughtUp) return
    }
  }

  /** Runs a job on the index. If a file is damaged, loads the list again, which another process may have replaced. */
  function run<T>(job: () => Promise<T>): Promise<T> {
    return queue.run(async () => {
      await store.ready()
      // The list is gone if the store has restored archived mems, which the files may lack. The index opens anew.
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

  function unfiled(): number {
    return index.memory.size - store.read().state.task.by("status", "failed").size
  }

  /** Writes the entries that are only in memory to a file, if there are at least `least` of them. */
  async function fileMemory(least: number): Promise<boolean> {
    if (disk === undefined || unfiled() < least) return false
    // The end of the log is read before the refresh, so that log entries written in between are replayed again later.
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

  /** Makes these files the index. False if another process has changed the list: its files are loaded next. */
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

  /** Merges the files from number `from` on. Recalls use the old files meanwhile. */
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
          if (lengths[doc] === 0 && copies[n]?.lengths[doc] !== 0) merged.remove(rows[n]?.[doc] ?? 0)
      await useFiles(new WordIndex([...index.files.slice(0, from), merged], index.memory), after)
    })
  }

  async function fileSome(): Promise<boolean> {
    const from = firstToMerge(index.files)
    if (from < index.files.length) {
      await mergeFiles(from)
      return true
    }
    const least = walked === null || index.files.length === 0 ? FILED_AT : FILED_AT_ONCE
    if (unfiled() < least) return false
    // The lock is awaited outside of the queue, so that recalls do not wait for it.
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

  /** Remembers why a write failed. A lock held by another process is no failure: the next call tries again. */
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

  /** Runs work on the up-to-date index, in slices. Calls run one after another. */
  async function use<T>(work: (index: WordIndex) => Pausing<T>): Promise<T> {
    const isFirst = followed === undefined
    const result = await run(() => runInSlices(work(index)))
    startFiling()
    // The first write gets some time: a process that recalls once and exits would otherwise never write the index.
    if (isFirst && filingStep !== undefined && files?.isLocked() === false)
      await withTimeout(filingStep, FIRST_FILING_MS)
    return result
  }

  return {
    use,
    warm: () => use(function* () {}),
    /** Resolves when at most `most` mems are only in memory. Rejects if they could not be written to files. */
    async filed(most = FILED_AT): Promise<void> {
      await files?.unlocked()
      await run(() => fileMemory(most + 1))
      startFiling()
      await filing
      if (trouble !== undefined) throw trouble.error
    },
    /** True while archived mems are still being indexed: recall may miss some. */
    isPartial: () => followed !== undefined && walked !== null,
  }
}

interface Followed {
  mems: Records<"mem">
  tasks: Records<"task">
  /** Changed mems by id. For a mem that left the graph: its last version, and whether the index has that version. */
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

/** The file where merging starts: the oldest one that is not much larger than all newer files together. */
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
const AFTER_ALL_IDS = "~"
// Other processes may keep writing: later changes wait for the next call.
const MAX_ROUNDS = 3
// The most log entries that are applied to the files. With more, indexing all mems again is faster.
const MAX_TAIL = 20_000
// How many archived mems are indexed before the first answer; this takes about a second.
const WALKED_FIRST = 20_000
const WALKED_AT_ONCE = 2000
// The number of entries that are worth a file. Fewer are indexed again by each process.
const FILED_AT = 1000
const FILED_AT_ONCE = 10_000
const MUCH_LARGER = 4
