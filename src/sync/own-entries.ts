import { takeBack } from "../graph/merge/apply.ts"
import { baseEntry, isBase } from "../graph/merge/base.ts"
import { openMergeDraft } from "../graph/merge/draft.ts"
import { isShared, sharedEntry } from "../graph/merge/shared.ts"
import { recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { kinds } from "../schemas/records.ts"
import type { Store } from "../store/store.ts"
import { LEGACY_WRITER } from "../store/upgrade/legacy-log.ts"
import { filesOf, parseEntry, readLines } from "./clone-files.ts"
import type { Repository, Tree } from "./ref.ts"

/** What this clone has written and the tree does not have yet. */
export async function ownEntries(
  store: Store,
  repository: Repository,
  tree: Tree,
  clone: string,
): Promise<Entry[]> {
  const last = await lastEntry(repository, tree, clone)
  if (last === undefined) return [...(await baseEntries(store)), ...shared(await store.log())]
  // What came along from an older version is at the beginning, and in no log.
  return shared(await store.log(isBase(last) ? {} : { after: last.id }))
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
  const last = await lastEntry(repository, await repository.readTree(commit), await store.clone())
  if (last === undefined || isBase(last)) return false
  return (await store.log({ naming: last.id, limit: 1 })).length === 0
}

async function lastEntry(repository: Repository, tree: Tree, clone: string): Promise<Entry | undefined> {
  const file = filesOf(tree, clone).at(-1)
  const line = file === undefined ? undefined : (await readLines(repository, tree.get(file))).at(-1)
  return line === undefined ? undefined : parseEntry(line)
}

function shared(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ writer }) => writer !== LEGACY_WRITER).flatMap((entry) => sharedEntry(entry) ?? [])
}

/**
 * Records that were there before the log began, because an older version wrote them: each as an entry of its own, which
 * is the same in every clone that has the same record.
 */
async function baseEntries(store: Store): Promise<Entry[]> {
  const entries = (await store.log()).filter(({ writer }) => writer !== LEGACY_WRITER)
  const { state } = store.read()
  const draft = openMergeDraft(state, store.archive.get)
  const added = new Set<string>()
  for (const entry of entries.toReversed()) {
    takeBack(draft, entry)
    for (const op of entry.ops) if (op.op === "add") added.add(op.record.id)
  }
  const found: Entry[] = []
  for (const kind of kinds.filter(isShared)) {
    const touched = Array.from(draft.touched()).flatMap((each) => (each.kind === kind ? each.id : []))
    const archived = kind === "mem" ? (await store.archive.naming("")).map(({ id }) => id) : []
    for (const id of new Set([...recordsOf(state, kind).keys(), ...touched, ...archived])) {
      const record = draft.get(kind, id)
      if (record !== undefined && !added.has(id)) found.push(baseEntry(kind, record))
    }
  }
  return found
}
