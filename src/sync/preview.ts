import { byClock } from "../graph/merge/order.ts"
import type { Entry } from "../schemas/entry.ts"
import { clonesIn, mergeTrees, newEntries } from "./clone-files.ts"
import { explained } from "./git-errors.ts"
import { ownEntries } from "./own-entries.ts"
import {
  LOG_REF,
  mergedRef,
  openRepository,
  RESET_REF,
  type Repository,
  remoteRef,
  requireRepository,
  type Tree,
} from "./ref.ts"
import { fetchLog } from "./remote.ts"
import type { SyncInput } from "./sync.ts"

export interface SyncPreview {
  remote: string | null
  /** Entries that the repository's log, or the remote's, does not have yet. */
  going: Entry[]
  /** Entries of others that are not in the graph. */
  coming: Entry[]
  unreadable: number
  junk: number
  /** The remote has no log yet: a sync asks before it sends one. */
  isFirst: boolean
}

/** Previews a sync. Fetches, and writes nothing else. */
export async function previewSync(input: Omit<SyncInput, "mayBegin">): Promise<SyncPreview> {
  const { store, dir, remote, push = true } = input
  requireRepository(dir)
  const repository = openRepository(dir)
  try {
    const hasLog = remote !== null && (await fetchLog(repository, remote, input))
    const ours = await treeOf(repository, LOG_REF)
    const theirs = hasLog ? await treeOf(repository, remoteRef(remote)) : new Map<string, string>()
    const clone = store.knownClone() ?? ""
    const going = await ownEntries(store, repository, ours, clone)
    if (remote !== null && push) going.unshift(...(await entriesIn(repository, ours, theirs)).entries)
    const forgotten = await treeOf(repository, RESET_REF)
    const merged = await mergeTrees(repository, await treeOf(repository, mergedRef(clone)), forgotten)
    const news = [
      await entriesIn(repository, ours, merged, clone),
      await entriesIn(repository, theirs, merged, clone),
    ]
    return {
      remote,
      going,
      coming: await notHere(
        store,
        news.flatMap(({ entries }) => entries),
      ),
      unreadable: Math.max(...news.map(({ unreadable }) => unreadable)),
      junk: Math.max(...news.map(({ junk }) => junk)),
      isFirst: remote !== null && push && !hasLog,
    }
  } catch (error) {
    throw explained(error, "look")
  } finally {
    repository.close()
  }
}

async function treeOf(repository: Repository, ref: string): Promise<Map<string, string>> {
  return repository.readTree(await repository.resolve(ref))
}

/** The entries in one tree that are not in the other, without those of one clone. */
async function entriesIn(repository: Repository, tree: Tree, than: Tree, but?: string) {
  const entries: Entry[] = []
  let unreadable = 0
  let junk = 0
  for (const clone of clonesIn(tree).filter((each) => each !== but)) {
    for await (const found of newEntries(repository, tree, than, clone)) {
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
