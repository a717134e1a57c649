import { byClock } from "../graph/merge/order.ts"
import type { Hive } from "../hive/hive.ts"
import type { Entry } from "../schemas/entry.ts"
import { counted } from "../shared/amounts.ts"
import { graphIn, type Store } from "../store/store.ts"
import { type BackedUp, findBackup } from "./backup.ts"
import { clonesIn, mergeTrees, newEntries, ownEntries } from "./clone-files.ts"
import {
  hasBackup,
  isInRepository,
  LOG_REF,
  mergedRef,
  RESET_REF,
  type Repository,
  remoteRef,
  requireRepository,
  type Tree,
  withRepository,
} from "./ref.ts"
import { chooseRemote, fetchLog } from "./remote.ts"
import type { SyncInput } from "./sync.ts"

export type SyncState = NonNullable<Awaited<ReturnType<typeof syncState>>>

/** Returns how far the hive is synced, without contacting the remote. Null outside of git. */
export async function syncState(store: Store, dir: string) {
  if (!isInRepository(dir)) return null
  return withRepository(dir, "read the repository's log", async (repo) => {
    const remote = (await chooseRemote(dir)) ?? null
    const ours = await repo.resolve(LOG_REF)
    const theirs = remote === null ? undefined : await repo.resolve(remoteRef(remote))
    const tree = await repo.readTree(ours)
    const clones = clonesIn(tree)
    const clone = store.knownClone() ?? ""
    // After a restore, or if a clone only fetches, it has no entries in the log, but a merged ref.
    const isBegun = clones.includes(clone) || (await repo.resolve(mergedRef(clone))) !== undefined
    return {
      isBegun,
      /** How many of this clone's entries the repository's log lacks; null before the first sync. */
      unsaved: isBegun ? (await ownEntries(graphIn(store), repo, tree, clone)).length : null,
      clones: clones.length,
      remote,
      /** True if the remote had the whole log at the last sync; null if it had none. */
      isSent: theirs === undefined || ours === undefined ? null : await repo.isAncestor(ours, theirs),
    }
  })
}

export function describeSyncState({ isBegun, unsaved, clones, remote, isSent }: SyncState): string {
  if (!isBegun || unsaved === null) return "not shared; `hivemind sync` shares the log"
  const missing = `${counted(unsaved, "entry", "entries")} not in the repository's log yet`
  const saved = unsaved === 0 ? "all entries in the repository's log" : missing
  const others = clones > 1 ? ` (${clones} clones)` : ""
  if (remote === null) return `${saved}${others}; no remote`
  const sent = isSent === null ? "never shared with" : isSent ? "shared with" : "not all shared with"
  return `${saved}${others}; ${sent} ${remote}`
}

export type SyncPreview = Awaited<ReturnType<typeof previewSync>>

/** Returns what a sync would do. Fetches from the remote, but changes nothing else. */
export async function previewSync(input: Omit<SyncInput, "mayBegin">) {
  const { store, dir, remote, push = true } = input
  requireRepository(dir)
  return withRepository(dir, "preview the sync", async (repo) => {
    const hasLog = remote !== null && (await fetchLog(repo, remote, input))
    const ours = await treeOf(repo, LOG_REF)
    const theirs = hasLog ? await treeOf(repo, remoteRef(remote)) : new Map<string, string>()
    const clone = store.knownClone() ?? ""
    const going = await ownEntries(store, repo, ours, clone)
    if (remote !== null && push) going.unshift(...(await entriesIn(repo, ours, theirs)).entries)
    const forgotten = await treeOf(repo, RESET_REF)
    const merged = await mergeTrees(repo, await treeOf(repo, mergedRef(clone)), forgotten)
    const news = [await entriesIn(repo, ours, merged, clone), await entriesIn(repo, theirs, merged, clone)]
    const found = news.flatMap(({ entries }) => entries)
    return {
      remote,
      /** Entries that the repository's log or the remote's log does not have yet. */
      going,
      coming: await notHere(store, found),
      unreadable: Math.max(...news.map(({ unreadable }) => unreadable)),
      junk: Math.max(...news.map(({ junk }) => junk)),
      /** True if the remote has no log yet. In that case, a sync asks the user before it pushes. */
      isFirst: remote !== null && push && !hasLog,
    }
  })
}

/** Returns entries that the backup still has, but that the damaged log has lost. */
export async function lostEntries({
  store,
  home,
  dir,
  config,
}: BackedUp & Pick<Hive, "config">): Promise<Entry[]> {
  const backup = config.sync === "off" ? undefined : findBackup({ home, dir })
  if (backup === undefined || !hasBackup(backup)) return []
  return withRepository(backup, "read the backup", async (repo) => {
    const { entries } = await entriesIn(repo, await treeOf(repo, repo.logRef), new Map())
    return notHere(graphIn(store), entries)
  })
}

async function treeOf(repo: Repository, ref: string): Promise<Map<string, string>> {
  return repo.readTree(await repo.resolve(ref))
}

async function entriesIn(repo: Repository, tree: Tree, than: Tree, but?: string) {
  const entries: Entry[] = []
  let unreadable = 0
  let junk = 0
  for (const clone of clonesIn(tree).filter((each) => each !== but)) {
    for await (const found of newEntries(repo, tree, than, clone)) {
      entries.push(...found.entries)
      unreadable += found.unreadable
      junk += found.junk
    }
  }
  return { entries, unreadable, junk }
}

async function notHere(store: SyncInput["store"], entries: readonly Entry[]): Promise<Entry[]> {
  if (entries.length === 0) return []
  const here = new Set((await store.log()).map(({ id }) => id))
  const found = new Map(entries.filter(({ id }) => !here.has(id)).map((entry) => [entry.id, entry]))
  return [...found.values()].sort(byClock)
}
