import { baseEntry, isBase } from "../graph/merge/base.ts"
import { isShared, sharedEntry } from "../graph/merge/shared.ts"
import { recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import type { Op } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import type { Store } from "../store/store.ts"
import type { SyncMark } from "../store/sync-mark.ts"
import { lastEntry, newEntries } from "./clone-files.ts"
import type { Repository, Tree } from "./ref.ts"

/** What this clone has written and the tree does not have yet. */
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
    // What was restored may be known to the backup alone.
    const restored = entries.map(({ brought, ...entry }) =>
      brought === undefined || brought === entry.at ? entry : { ...entry, brought },
    )
    const own = await runInSlices(shared(restored))
    return [...(await baseEntries(store, entries)), ...(await notUnderOldName(repository, tree, clone, own))]
  }
  // What came along from an older version is at the beginning, and in no log.
  return runInSlices(shared(await store.log({ isOwn: true, ...(!isBase(last) && { after: last.id }) })))
}

/** A clone that got a new name wrote under its old one before: what is in the tree under that is not sent again. */
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

/** The mark, if it is of this clone and of this log. */
export async function currentMark(store: Store, clone: string): Promise<SyncMark | undefined> {
  const mark = store.syncMark()
  if (mark?.clone !== clone) return undefined
  const isHere = mark.entry === null || (await store.log({ naming: mark.entry, limit: 1 })).length > 0
  return isHere ? mark : undefined
}

/**
 * True where the log has something under this clone's name that it never wrote: its folder was copied, or set back to an
 * older state, and another one goes by its name.
 */
export async function isForked(
  store: Store,
  repository: Repository,
  commit: string | undefined,
): Promise<boolean> {
  const clone = await store.clone()
  const last = await lastEntry(repository, await repository.readTree(commit), clone)
  if (last === undefined || isBase(last)) return false
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

/**
 * Records that were there before the log began, because an older version wrote them: each as an entry of its own, which
 * is the same in every clone that has the same record.
 */
async function baseEntries(store: Store, entries: readonly Entry[]): Promise<Entry[]> {
  const archived = await store.archive.naming("")
  const { added, changes } = await runInSlices(changesIn(entries))
  const records = new Map<string, { kind: Kind; record: AnyRecord | undefined }>()
  for (const mem of archived) if (!added.has(mem.id)) records.set(mem.id, { kind: "mem", record: mem })
  const { state } = store.read()
  for (const kind of kinds.filter(isShared))
    for (const [id, record] of recordsOf(state, kind)) if (!added.has(id)) records.set(id, { kind, record })
  for (const [id, { kind }] of changes)
    if (!added.has(id) && !records.has(id)) records.set(id, { kind, record: undefined })
  const found = Array.from(records, ([id, { kind, record }]) => {
    const before = (changes.get(id)?.newestFirst ?? []).reduce(takenBack, record)
    return before === undefined || !isShared(kind) ? [] : [baseEntry(kind, before)]
  })
  return found.flat()
}

interface Changes {
  kind: Kind
  newestFirst: Op[]
}

/** What the log has added, and what it has done to each of the others. */
function* changesIn(
  entries: readonly Entry[],
): Pausing<{ added: Set<string>; changes: Map<string, Changes> }> {
  const added = new Set<string>()
  const changes = new Map<string, Changes>()
  for (const entry of entries.toReversed()) {
    yield
    for (const op of entry.ops.toReversed()) {
      if (op.op === "add") added.add(op.record.id)
      if (op.op !== "set" && op.op !== "drop") continue
      const known = changes.get(op.id) ?? { kind: op.kind, newestFirst: [] }
      known.newestFirst.push(op)
      changes.set(op.id, known)
    }
  }
  return { added, changes }
}

function takenBack(record: AnyRecord | undefined, op: Op): AnyRecord | undefined {
  if (op.op === "drop") return op.was
  // Its own fields, as they were.
  return op.op === "set" && record !== undefined ? ({ ...record, ...op.was } as AnyRecord) : record
}
