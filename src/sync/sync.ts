import type { Conflict } from "../schemas/conflict.ts"
import { HiveError } from "../shared/error.ts"
import type { SyncMark } from "../store/clone.ts"
import { graphIn, type Store } from "../store/store.ts"
import { countEntries, lastEntry, mergeTrees, withEntries } from "./clone-files.ts"
import { explained } from "./git-errors.ts"
import { mergeNew } from "./merge-new.ts"
import { isForked, ownEntries } from "./own-entries.ts"
import { type Backup, openRepository, type Repository, remoteRef, requireRepository } from "./ref.ts"
import { type Contact, fetchLog, pushLog } from "./remote.ts"

export interface SyncInput extends Contact {
  store: Store
  /** Any folder of the repository. */
  dir: string
  /** Null: only the repository itself. */
  remote: string | null
  /** False: fetches from the remote, and sends nothing. */
  push?: boolean | undefined
  /** Asks whether the log, with so many entries, may be sent to a remote that has none yet. */
  mayBegin: (entries: number) => Promise<boolean>
  onProgress?: ((done: number) => void) | undefined
}

export interface SyncReport {
  remote: string | null
  /** Entries of this clone that went into the repository's log. */
  saved: number
  /** Entries of the log that the remote did not have. */
  sent: number
  /** Entries of other clones that were merged into the graph, and the clones' names. */
  brought: number
  from: readonly string[]
  /** Lines of a newer version. They are tried again next time. */
  unreadable: number
  /** Lines that are damaged or not written by HiveMind. They are skipped. */
  junk: number
  conflicts: readonly Conflict[]
  /** Refs of HiveMind that git could not read, and that were created again. */
  rebuilt: readonly string[]
  /** `kept`: the first push was declined. */
  push: "pushed" | "nothing" | "kept" | "none"
}

/**
 * Adds this clone's entries to the repository's log, fetches and merges those of other clones, and pushes the result. A
 * failure at any step leaves the graph, the log and the remote each in a state from which the next sync continues.
 */
export async function syncHive(input: SyncInput): Promise<SyncReport> {
  requireRepository(input.dir)
  const repository = openRepository(input.dir)
  try {
    return await syncWith(repository, { ...input, store: graphIn(input.store) })
  } catch (error) {
    throw explained(error, "sync")
  } finally {
    repository.close()
  }
}

/** The same with the backup of this hive: new entries go there, and entries that the graph has lost come back. */
export async function syncBackup(store: Store, backup: Backup): Promise<SyncReport> {
  const repository = openRepository(backup)
  try {
    const input = { store: unmarked(store), dir: repository.dir, remote: null, mayBegin: async () => false }
    return await syncWith(repository, input)
  } catch (error) {
    throw explained(error, "back up the log")
  } finally {
    repository.close()
  }
}

/** Without the sync mark, which is about the shared log. A backup needs none: its last entry is near the end of the log. */
export function unmarked(store: Store): Store {
  return { ...graphIn(store), syncMark: () => undefined, setSyncMark: async () => {} }
}

async function syncWith(repository: Repository, input: SyncInput): Promise<SyncReport> {
  const { store, remote, push = true } = input
  const report: SyncReport = { ...NOTHING_YET, remote, rebuilt: await rebuildRefs(store, repository) }
  let locked: unknown
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const hasLog = remote !== null && (await fetchLog(repository, remote, input))
    const theirs = hasLog && remote !== null ? await repository.resolve(remoteRef(remote)) : undefined
    for (const commit of [theirs, await repository.resolve(repository.logRef)])
      if (await isForked(store, repository, commit)) await store.renameClone()
    if (!(await mergeRemoteLog(repository, theirs))) continue
    const saved = await saveOwn(store, repository)
    if (saved === undefined) continue
    report.saved += saved.count
    await mergeNew(store, repository, report, input.onProgress)
    const merged = await repository.resolve(repository.mergedRef(saved.mark.clone))
    await store.setSyncMark({ ...saved.mark, merged: merged ?? null })
    if (remote === null || !push) return report
    const ours = await repository.resolve(repository.logRef)
    if (ours === undefined || ours === theirs) return { ...report, push: "nothing" }
    const sent = await countEntries(
      repository,
      await repository.readTree(ours),
      await repository.readTree(theirs),
    )
    if (!hasLog && !(await input.mayBegin(sent))) return { ...report, push: "kept" }
    const pushed = await pushLog(repository, remote, input)
    locked = typeof pushed === "object" ? pushed.locked : undefined
    if (pushed !== "pushed") continue
    const known = remoteRef(remote)
    await repository.move(known, ours, await repository.resolve(known))
    return { ...report, sent, push: "pushed" }
  }
  throw locked ?? neverThere(remote)
}

/**
 * Removes refs of HiveMind that git cannot read. The repository's log goes back to the state that was merged last; later
 * entries of this clone come from its own log, those of others from the remote.
 */
async function rebuildRefs(store: Store, repository: Repository): Promise<string[]> {
  const merged = repository.mergedRef(await store.clone())
  const rebuilt: string[] = []
  for (const ref of [merged, repository.logRef]) if (await repository.removeUnreadable(ref)) rebuilt.push(ref)
  const last = await repository.resolve(merged)
  if (rebuilt.includes(repository.logRef) && last !== undefined)
    await repository.move(repository.logRef, last, undefined)
  return rebuilt
}

/** Adds this clone's new entries to the repository's log; undefined if another process has changed it meanwhile. */
async function saveOwn(store: Store, repository: Repository): Promise<Saved | undefined> {
  const before = await repository.resolve(repository.logRef)
  const tree = await repository.readTree(before)
  const clone = await store.clone()
  // Before the log is read: entries that come meanwhile are for the next sync.
  const newest = (await store.log({ limit: 1 }))[0]?.id ?? null
  const own = await ownEntries(store, repository, tree, clone)
  const last = own.at(-1) ?? (await lastEntry(repository, tree, clone))
  const saved = { count: own.length, mark: { clone, entry: newest, own: last?.id ?? null } }
  if (own.length === 0) return saved
  const next = await repository.writeTree(await withEntries(repository, tree, clone, own))
  const commit = await repository.commit(next, before === undefined ? [] : [before], "log", own.at(-1)?.at)
  return (await repository.move(repository.logRef, commit, before)) ? saved : undefined
}

interface Saved {
  count: number
  mark: Omit<SyncMark, "merged">
}

/** Adds the remote's log to the repository's. False if another process has changed that meanwhile. */
async function mergeRemoteLog(repository: Repository, theirs: string | undefined): Promise<boolean> {
  const ours = await repository.resolve(repository.logRef)
  if (theirs === undefined || ours === theirs) return true
  if (ours === undefined || (await repository.isAncestor(ours, theirs)))
    return repository.move(repository.logRef, theirs, ours)
  if (await repository.isAncestor(theirs, ours)) return true
  const [a, b] = [await repository.readTree(ours), await repository.readTree(theirs)]
  const tree = await repository.writeTree(await mergeTrees(repository, a, b))
  return repository.move(repository.logRef, await repository.commit(tree, [ours, theirs], "merge"), ours)
}

function neverThere(remote: string | null): HiveError {
  return new HiveError({
    code: "locked",
    what: "The log was not shared.",
    why: `Other processes or clones kept writing first${remote === null ? "" : ` at ${remote}`}. Your local data is unchanged.`,
    use_instead: "Run `hivemind sync` again in a moment.",
    evidence: `${MAX_ATTEMPTS} attempts`,
  })
}

export const NOTHING_YET: SyncReport = {
  remote: null,
  saved: 0,
  sent: 0,
  brought: 0,
  from: [],
  unreadable: 0,
  junk: 0,
  conflicts: [],
  rebuilt: [],
  push: "none",
}
const MAX_ATTEMPTS = 8
