import { sharedEntry } from "../graph/merge/order.ts"
import type { Entry } from "../schemas/entry.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import type { SyncMark } from "../store/clone.ts"
import type { Store } from "../store/store.ts"
import { lastEntry, newEntries } from "./clone-files.ts"
import type { Repository, Tree } from "./ref.ts"

/** The entries of this clone that the tree does not have yet. */
export async function ownEntries(
  store: Store,
  repository: Repository,
  tree: Tree,
  clone: string,
): Promise<Entry[]> {
  const last = await lastEntry(repository, tree, clone)
  const mark = await currentMark(store, clone)
  if (mark !== undefined) {
    const since = await store.log({ isOwn: true, ...(mark.entry !== null && { after: mark.entry }) })
    const saved = since.findIndex(({ id }) => id === last?.id)
    if (saved >= 0 || (last?.id ?? null) === mark.own) return runInSlices(shared(since.slice(saved + 1)))
  }
  if (last === undefined) {
    const entries = await store.log()
    // Restored entries may be in the backup alone: they count as own ones.
    const restored = entries.map(({ brought, ...entry }) =>
      brought === undefined || brought === entry.at ? entry : { ...entry, brought },
    )
    return notUnderOldName(repository, tree, clone, await runInSlices(shared(restored)))
  }
  return runInSlices(shared(await store.log({ isOwn: true, after: last.id })))
}

/** Leaves out entries that the tree has under an earlier name of this clone. */
async function notUnderOldName(
  repository: Repository,
  tree: Tree,
  clone: string,
  own: readonly Entry[],
): Promise<Entry[]> {
  const saved = new Set<string>()
  for (const writer of new Set(own.map((entry) => entry.writer)))
    if (writer !== clone)
      for await (const { entries } of newEntries(repository, tree, new Map(), writer))
        for (const { id } of entries) saved.add(id)
  return own.filter(({ id }) => !saved.has(id))
}

/** The sync mark, if it fits this clone and this log. */
export async function currentMark(store: Store, clone: string): Promise<SyncMark | undefined> {
  const mark = store.syncMark()
  if (mark?.clone !== clone) return undefined
  const isHere = mark.entry === null || (await store.log({ naming: mark.entry, limit: 1 })).length > 0
  return isHere ? mark : undefined
}

/** True if the log has an entry under this clone's name that it never wrote: its folder was copied, or set back to an older state. */
export async function isForked(
  store: Store,
  repository: Repository,
  commit: string | undefined,
): Promise<boolean> {
  const clone = await store.clone()
  const last = await lastEntry(repository, await repository.readTree(commit), clone)
  if (last === undefined) return false
  if (last.id === (await currentMark(store, clone))?.own) return false
  return (await store.log({ naming: last.id, limit: 1 })).length === 0
}

function* shared(entries: readonly Entry[]): Pausing<Entry[]> {
  const found: Entry[] = []
  for (const entry of entries) {
    const own = sharedEntry(entry)
    if (own !== undefined) found.push(own)
    yield
  }
  return found
}
