import { byClock } from "../graph/merge/order.ts"
import type { Conflict } from "../schemas/conflict.ts"
import type { Entry } from "../schemas/entry.ts"
import { HiveError } from "../shared/error.ts"
import type { SyncMark } from "../store/clone.ts"
import { graphIn, type Store } from "../store/store.ts"
import {
  clonesIn,
  countEntries,
  currentMark,
  isForked,
  lastEntry,
  mergeTrees,
  newEntries,
  ownEntries,
  type ReadLines,
  withEntries,
} from "./clone-files.ts"
import {
  type Backup,
  RESET_REF,
  type Repository,
  remoteRef,
  requireRepository,
  type Tree,
  withRepository,
} from "./ref.ts"
import { type Contact, fetchLog, pushLog } from "./remote.ts"

export interface SyncInput extends Contact {
  store: Store
  /** Any folder of the repository. */
  dir: string
  /** Null to sync with the repository only. */
  remote: string | null
  /** False to fetch from the remote without pushing. */
  push?: boolean | undefined
  /** Asks the user before the first push to a remote. Gets the number of entries. */
  mayBegin: (entries: number) => Promise<boolean>
  onProgress?: ((done: number) => void) | undefined
}

/** Adds this clone's entries to the log, merges those of other clones, and pushes. Continues an interrupted sync. */
export async function syncHive(input: SyncInput): Promise<SyncReport> {
  requireRepository(input.dir)
  const store = graphIn(input.store)
  return withRepository(input.dir, "sync", (repo) => syncWith(repo, { ...input, store }))
}

/** Syncs with the hive's backup. Entries that the graph has lost are restored from it. */
export function syncBackup(store: Store, backup: Backup): Promise<SyncReport> {
  return withRepository(backup, "back up the log", (repo) => {
    const input = { dir: repo.dir, remote: null, mayBegin: async () => false }
    return syncWith(repo, { ...input, store: unmarked(store) })
  })
}

/** Hides the sync mark, which is valid only for the shared log. */
export function unmarked(store: Store): Store {
  return { ...graphIn(store), syncMark: () => undefined, setSyncMark: async () => {} }
}

async function syncWith(repo: Repository, input: SyncInput): Promise<SyncReport> {
  const { store, remote, push = true } = input
  const report: SyncReport = { ...NOTHING_YET, remote, rebuilt: await rebuildRefs(store, repo) }
  let locked: unknown
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const hasLog = remote !== null && (await fetchLog(repo, remote, input))
    const theirs = hasLog && remote !== null ? await repo.resolve(remoteRef(remote)) : undefined
    for (const commit of [theirs, await repo.resolve(repo.logRef)])
      if (await isForked(store, repo, commit)) await store.renameClone()
    if (!(await mergeRemoteLog(repo, theirs))) continue
    const saved = await saveOwn(store, repo)
    if (saved === undefined) continue
    report.saved += saved.count
    await mergeNew(store, repo, report, input.onProgress)
    const merged = await repo.resolve(repo.mergedRef(saved.mark.clone))
    await store.setSyncMark({ ...saved.mark, merged: merged ?? null })
    if (remote === null || !push) return report
    const ours = await repo.resolve(repo.logRef)
    if (ours === undefined || ours === theirs) return { ...report, push: "nothing" }
    const sent = await countEntries(repo, await repo.readTree(ours), await repo.readTree(theirs))
    if (!hasLog && !(await input.mayBegin(sent))) return { ...report, push: "kept" }
    const pushed = await pushLog(repo, remote, input)
    locked = typeof pushed === "object" ? pushed.locked : undefined
    if (pushed !== "pushed") continue
    const known = remoteRef(remote)
    await repo.move(known, ours, await repo.resolve(known))
    return { ...report, sent, push: "pushed" }
  }
  throw locked ?? neverThere(remote)
}

/** Removes unreadable refs. The log starts again at the last merged commit; this sync adds what came later. */
async function rebuildRefs(store: Store, repo: Repository): Promise<string[]> {
  const merged = repo.mergedRef(await store.clone())
  const rebuilt: string[] = []
  for (const ref of [merged, repo.logRef]) if (await repo.removeUnreadable(ref)) rebuilt.push(ref)
  const last = await repo.resolve(merged)
  if (rebuilt.includes(repo.logRef) && last !== undefined) await repo.move(repo.logRef, last, undefined)
  return rebuilt
}

/** Adds this clone's new entries to the repository's log; undefined if another process changed that log meanwhile. */
async function saveOwn(store: Store, repo: Repository): Promise<Saved | undefined> {
  const before = await repo.resolve(repo.logRef)
  const tree = await repo.readTree(before)
  const clone = await store.clone()
  // Reads the newest id first, so that entries written meanwhile belong to the next sync.
  const newest = (await store.log({ limit: 1 }))[0]?.id ?? null
  const own = await ownEntries(store, repo, tree, clone)
  const last = own.at(-1) ?? (await lastEntry(repo, tree, clone))
  const saved = { count: own.length, mark: { clone, entry: newest, own: last?.id ?? null } }
  if (own.length === 0) return saved
  const next = await repo.writeTree(await withEntries(repo, tree, clone, own))
  const commit = await repo.commit(next, before === undefined ? [] : [before], "log", own.at(-1)?.at)
  return (await repo.move(repo.logRef, commit, before)) ? saved : undefined
}

type Saved = { count: number; mark: Omit<SyncMark, "merged"> }

/** Merges the remote's log into the repository's; false if another process changed the latter meanwhile. */
async function mergeRemoteLog(repo: Repository, theirs: string | undefined): Promise<boolean> {
  const ours = await repo.resolve(repo.logRef)
  if (theirs === undefined || ours === theirs) return true
  if (ours === undefined || (await repo.isAncestor(ours, theirs))) return repo.move(repo.logRef, theirs, ours)
  if (await repo.isAncestor(theirs, ours)) return true
  const [a, b] = [await repo.readTree(ours), await repo.readTree(theirs)]
  const tree = await repo.writeTree(await mergeTrees(repo, a, b))
  return repo.move(repo.logRef, await repo.commit(tree, [ours, theirs], "merge"), ours)
}

/** Merges other clones' new entries, oldest first, in portions that fit into memory. */
async function mergeNew(
  store: Store,
  repo: Repository,
  report: SyncReport,
  onProgress?: (done: number) => void,
): Promise<void> {
  const clone = await store.clone()
  const commit = await repo.resolve(repo.logRef)
  const merged = await repo.resolve(repo.mergedRef(clone))
  if (commit === undefined) return
  const known = await mergeTrees(
    repo,
    await mergedTree(store, repo, merged, clone),
    await repo.readTree(await repo.resolve(RESET_REF)),
  )
  if (commit === merged && known.size > 0) return
  const tree = await repo.readTree(commit)
  const found = new Map(report.conflicts.map((each) => [each.id, each]))
  const from = new Set(report.from)
  report.unreadable = 0
  report.junk = 0
  const isRestored = await isComingBack(store)
  for await (const { entries, clones, unreadable, junk } of portions(repo, tree, known, clone)) {
    const { brought, conflicts } = await store.merge(entries, { isRestored })
    report.brought += brought
    if (brought > 0) for (const each of clones) from.add(each)
    report.unreadable += unreadable
    report.junk += junk
    for (const each of conflicts) found.set(each.id, each)
    onProgress?.(report.brought)
  }
  const { state } = store.read()
  // A later portion may have solved conflicts of an earlier one.
  report.conflicts = [...found.keys()].flatMap((id) => state.conflict.get(id) ?? [])
  report.from = [...from]
  if (report.unreadable === 0) await repo.move(repo.mergedRef(clone), commit, merged)
}

/** True while a lost graph is being restored, also after an interruption. */
async function isComingBack(store: Store): Promise<boolean> {
  const [newest] = await store.log({ limit: 1 })
  return newest === undefined || (store.syncMark() === undefined && newest.brought === newest.at)
}

/** Returns the log's files that were already merged; none if the hive is an older copy, which must merge them again. */
async function mergedTree(
  store: Store,
  repo: Repository,
  merged: string | undefined,
  own: string,
): Promise<Tree> {
  const tree = await repo.readTree(merged)
  if (merged !== undefined && (await currentMark(store, own))?.merged === merged) return tree
  const others = clonesIn(tree).filter((clone) => clone !== own)
  const last = await Promise.all(others.map((clone) => lastEntry(repo, tree, clone)))
  const newest = last.filter((entry) => entry !== undefined).sort(newestFirst)[0]
  if (newest === undefined) return tree
  const isThere = (await store.log({ naming: newest.id, limit: 1 })).length > 0
  return isThere ? tree : new Map()
}

function newestFirst(a: Entry | undefined, b: Entry | undefined): number {
  return (b?.clock ?? 0) - (a?.clock ?? 0)
}

type Portion = ReadLines & { clones: string[] }

/** Yields entries roughly in the order of their clocks, because merging an older entry reverts all newer ones. */
async function* portions(repo: Repository, tree: Tree, known: Tree, own: string): AsyncGenerator<Portion> {
  const others = clonesIn(tree).filter((clone) => clone !== own)
  const sources = others.map((clone) => newEntries(repo, tree, known, clone))
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

function neverThere(remote: string | null): HiveError {
  return new HiveError({
    code: "locked",
    what: "The log was not shared.",
    why: `Other processes or clones wrote first, at every attempt${remote === null ? "" : ` at ${remote}`}. Your local data is unchanged.`,
    use_instead: "Run `hivemind sync` again in a moment.",
    evidence: `${MAX_ATTEMPTS} attempts`,
  })
}

export const NOTHING_YET = {
  remote: null as string | null,
  /** How many of this clone's entries are new in the repository's log. */
  saved: 0,
  /** How many entries are new at the remote. */
  sent: 0,
  /** How many entries of other clones were merged. */
  brought: 0,
  from: [] as readonly string[], // The names of the clones whose entries were merged.
  /** How many lines a newer version of HiveMind wrote. The next sync tries them again. */
  unreadable: 0,
  /** How many lines were skipped, because they are damaged or not HiveMind's. */
  junk: 0,
  conflicts: [] as readonly Conflict[],
  /** Refs that were unreadable and were created again. */
  rebuilt: [] as readonly string[],
  /** `kept`: the user declined the first push. */
  push: "none" as "pushed" | "nothing" | "kept" | "none",
}
export type SyncReport = typeof NOTHING_YET
const MAX_ATTEMPTS = 8
const PORTION = 1000
