import { byClock } from "../graph/merge/order.ts"
import type { Conflict } from "../schemas/conflict.ts"
import type { Entry } from "../schemas/journal.ts"
import { HiveError } from "../shared/error.ts"
import type { Store } from "../store/store.ts"
import { clonesIn, newEntries, united, withLines } from "./clone-files.ts"
import { isForked, ownEntries } from "./own-entries.ts"
import { LOG_REF, mergedRef, openRepository, type Repository, remoteRef, type Tree } from "./ref.ts"
import { fetchLog, pushLog } from "./remote.ts"

export interface SyncInput {
  store: Store
  /** Any folder of the repository. */
  dir: string
  /** Null: only the repository itself, as a backup. */
  remote: string | null
  /** Where nobody waits: how long git may take to reach the remote. */
  timeoutMs?: number | undefined
  /** Whether the log may be sent to a remote that has none yet. */
  mayBegin: () => Promise<boolean>
  onProgress?: ((done: number) => void) | undefined
}

export interface SyncReport {
  remote: string | null
  /** Entries of this clone that went into the repository's log. */
  saved: number
  /** Entries of other clones that came into the graph. */
  brought: number
  /** Lines that this version cannot read: a newer one wrote them. They are tried again next time. */
  unreadable: number
  conflicts: readonly Conflict[]
  /** `kept`: somebody said no to the first push. */
  push: "pushed" | "nothing" | "kept" | "none"
}

/**
 * Makes the graph and the log of all clones one: puts what this clone has written into the repository's log, brings what
 * others have written, merges that, and sends the whole. Whatever fails leaves the graph, the log and the remote each in
 * a state from which the next sync goes on.
 */
export async function syncHive(input: SyncInput): Promise<SyncReport> {
  const repository = openRepository(input.dir)
  try {
    return await syncWith(repository, input)
  } finally {
    repository.close()
  }
}

async function syncWith(repository: Repository, input: SyncInput): Promise<SyncReport> {
  const { store, dir, remote } = input
  const report: SyncReport = { remote, saved: 0, brought: 0, unreadable: 0, conflicts: [], push: "none" }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const hasLog = remote !== null && (await fetchLog(dir, remote, input.timeoutMs))
    const theirs = hasLog && remote !== null ? await repository.resolve(remoteRef(remote)) : undefined
    for (const commit of [theirs, await repository.resolve(LOG_REF)])
      if (await isForked(store, repository, commit)) await store.renameClone()
    if (!(await takeIn(repository, theirs))) continue
    const saved = await saveOwn(store, repository)
    if (saved === undefined) continue
    report.saved += saved
    await mergeNew(input, repository, report)
    if (remote === null) return report
    const ours = await repository.resolve(LOG_REF)
    if (ours === undefined || ours === theirs) return { ...report, push: "nothing" }
    if (!hasLog && !(await input.mayBegin())) return { ...report, push: "kept" }
    if ((await pushLog(dir, remote, input.timeoutMs)) === "pushed") return { ...report, push: "pushed" }
  }
  throw neverThere(remote)
}

/** Puts what this clone has written since into the repository's log; undefined where another process has changed that. */
async function saveOwn(store: Store, repository: Repository): Promise<number | undefined> {
  const before = await repository.resolve(LOG_REF)
  const tree = await repository.readTree(before)
  const clone = await store.clone()
  const own = await ownEntries(store, repository, tree, clone)
  if (own.length === 0) return 0
  const lines = own.map((entry) => JSON.stringify(entry))
  const next = await repository.writeTree(await withLines(repository, tree, clone, lines))
  const commit = await repository.commit(next, before === undefined ? [] : [before], "log", own.at(-1)?.at)
  return (await repository.move(LOG_REF, commit, before)) ? own.length : undefined
}

/** Puts what the remote has into the repository's log. False where another process has changed that meanwhile. */
async function takeIn(repository: Repository, theirs: string | undefined): Promise<boolean> {
  const ours = await repository.resolve(LOG_REF)
  if (theirs === undefined || ours === theirs) return true
  if (ours === undefined || (await repository.isAncestor(ours, theirs)))
    return repository.move(LOG_REF, theirs, ours)
  if (await repository.isAncestor(theirs, ours)) return true
  const [a, b] = [await repository.readTree(ours), await repository.readTree(theirs)]
  const tree = await repository.writeTree(await united(repository, a, b))
  return repository.move(LOG_REF, await repository.commit(tree, [ours, theirs], "merge"), ours)
}

/** Merges what others have written into the graph, oldest first, in portions that fit into memory. */
async function mergeNew(input: SyncInput, repository: Repository, report: SyncReport): Promise<void> {
  const { store, onProgress } = input
  const clone = await store.clone()
  const commit = await repository.resolve(LOG_REF)
  const merged = await repository.resolve(mergedRef(clone))
  if (commit === undefined || commit === merged) return
  const [tree, known] = [await repository.readTree(commit), await repository.readTree(merged)]
  const found: Conflict[] = []
  for await (const { entries, unreadable } of portions(repository, tree, known, clone)) {
    const { brought, conflicts } = await store.merge(entries)
    report.brought += brought
    report.unreadable += unreadable
    found.push(...conflicts)
    onProgress?.(report.brought)
  }
  const standing = found.filter(({ id }) => store.read().state.conflict.has(id))
  report.conflicts = [...report.conflicts, ...standing]
  if (report.unreadable === 0) await repository.move(mergedRef(clone), commit, merged)
}

interface Portion {
  entries: Entry[]
  unreadable: number
}

/** What the clones have written, in about the order of their clocks: then little has to be taken back for the next. */
async function* portions(
  repository: Repository,
  tree: Tree,
  known: Tree,
  own: string,
): AsyncGenerator<Portion> {
  const sources = clonesIn(tree)
    .filter((clone) => clone !== own)
    .map((clone) => newEntries(repository, tree, known, clone))
  const heads = await Promise.all(sources.map((source) => source.next()))
  let waiting: Entry[] = []
  let unreadable = 0
  for (;;) {
    const open = heads.flatMap(({ done, value }, n) =>
      done ? [] : { n, clock: value.entries[0]?.clock ?? 0 },
    )
    const lowest = open.reduce((a, b) => (b.clock < a.clock ? b : a), open[0] ?? { n: -1, clock: 0 })
    const head = heads[lowest.n]
    const source = sources[lowest.n]
    if (head === undefined || head.done || source === undefined) break
    waiting = [...waiting, ...head.value.entries]
    unreadable += head.value.unreadable
    heads[lowest.n] = await source.next()
    if (waiting.length < PORTION) continue
    yield { entries: waiting.sort(byClock), unreadable }
    waiting = []
    unreadable = 0
  }
  if (waiting.length > 0 || unreadable > 0) yield { entries: waiting.sort(byClock), unreadable }
}

function neverThere(remote: string | null): HiveError {
  return new HiveError({
    code: "locked",
    what: "The log was not shared.",
    why: `Others came first again and again${remote === null ? "" : ` at ${remote}`}. What is here stays as it is.`,
    use_instead: "Run `hivemind sync` again in a moment.",
    evidence: `${MAX_ATTEMPTS} attempts`,
  })
}

const MAX_ATTEMPTS = 8
const PORTION = 5000
