import { byClock } from "../graph/merge/order.ts"
import type { Conflict } from "../schemas/conflict.ts"
import type { Entry } from "../schemas/entry.ts"
import type { Store } from "../store/store.ts"
import { clonesIn, lastEntry, mergeTrees, newEntries, type ReadLines } from "./clone-files.ts"
import { currentMark } from "./own-entries.ts"
import { RESET_REF, type Repository, type Tree } from "./ref.ts"

/** The part of a sync report that merging fills in. */
interface Merged {
  brought: number
  from: readonly string[]
  unreadable: number
  junk: number
  conflicts: readonly Conflict[]
}

/** Merges the new entries of other clones into the graph, oldest first, in portions that fit into memory. */
export async function mergeNew(
  store: Store,
  repository: Repository,
  report: Merged,
  onProgress?: (done: number) => void,
): Promise<void> {
  const clone = await store.clone()
  const commit = await repository.resolve(repository.logRef)
  const merged = await repository.resolve(repository.mergedRef(clone))
  if (commit === undefined) return
  const known = await mergeTrees(
    repository,
    await mergedTree(store, repository, merged, clone),
    await repository.readTree(await repository.resolve(RESET_REF)),
  )
  if (commit === merged && known.size > 0) return
  const tree = await repository.readTree(commit)
  const found = new Map(report.conflicts.map((each) => [each.id, each]))
  const from = new Set(report.from)
  report.unreadable = 0
  report.junk = 0
  const isRestored = await isComingBack(store)
  for await (const { entries, clones, unreadable, junk } of portions(repository, tree, known, clone)) {
    const { brought, conflicts } = await store.merge(entries, { isRestored })
    report.brought += brought
    if (brought > 0) for (const each of clones) from.add(each)
    report.unreadable += unreadable
    report.junk += junk
    for (const each of conflicts) found.set(each.id, each)
    onProgress?.(report.brought)
  }
  const { state } = store.read()
  // A later portion may have removed a conflict.
  report.conflicts = [...found.keys()].flatMap((id) => state.conflict.get(id) ?? [])
  report.from = [...from]
  if (report.unreadable === 0) await repository.move(repository.mergedRef(clone), commit, merged)
}

/** True if the graph was lost and is being restored; also if that was interrupted before. */
async function isComingBack(store: Store): Promise<boolean> {
  const [newest] = await store.log({ limit: 1 })
  return newest === undefined || (store.syncMark() === undefined && newest.brought === newest.at)
}

/** The merged tree; empty if its newest entry is not in the log, because the hive was set back to an older copy. */
async function mergedTree(
  store: Store,
  repository: Repository,
  merged: string | undefined,
  own: string,
): Promise<Tree> {
  const tree = await repository.readTree(merged)
  if (merged !== undefined && (await currentMark(store, own))?.merged === merged) return tree
  const others = clonesIn(tree).filter((clone) => clone !== own)
  const last = await Promise.all(others.map((clone) => lastEntry(repository, tree, clone)))
  const newest = last.filter((entry) => entry !== undefined).sort(newestFirst)[0]
  if (newest === undefined) return tree
  const isThere = (await store.log({ naming: newest.id, limit: 1 })).length > 0
  return isThere ? tree : new Map()
}

function newestFirst(a: Entry | undefined, b: Entry | undefined): number {
  return (b?.clock ?? 0) - (a?.clock ?? 0)
}

interface Portion extends ReadLines {
  /** The names of their clones. */
  clones: string[]
}

/** The entries of the clones, roughly in the order of their clocks, so that little has to be taken back for the next portion. */
async function* portions(
  repository: Repository,
  tree: Tree,
  known: Tree,
  own: string,
): AsyncGenerator<Portion> {
  const others = clonesIn(tree).filter((clone) => clone !== own)
  const sources = others.map((clone) => newEntries(repository, tree, known, clone))
  const heads = await Promise.all(sources.map((source) => source.next()))
  const nothing = () => ({ entries: [], clones: [], unreadable: 0, junk: 0 })
  let next: Portion = nothing()
  for (;;) {
    const open = heads.flatMap(({ done, value }, n) =>
      done ? [] : { n, clock: value.entries[0]?.clock ?? 0 },
    )
    const lowest = open.reduce((a, b) => (b.clock < a.clock ? b : a), open[0] ?? { n: -1, clock: 0 })
    const head = heads[lowest.n]
    const source = sources[lowest.n]
    if (head === undefined || head.done || source === undefined) break
    next = {
      entries: [...next.entries, ...head.value.entries],
      clones: [...next.clones, ...others.slice(lowest.n, lowest.n + 1)],
      unreadable: next.unreadable + head.value.unreadable,
      junk: next.junk + head.value.junk,
    }
    heads[lowest.n] = await source.next()
    if (next.entries.length < PORTION) continue
    next.entries.sort(byClock)
    yield next
    next = nothing()
  }
  next.entries.sort(byClock)
  if (next.entries.length + next.unreadable + next.junk > 0) yield next
}

const PORTION = 1000
