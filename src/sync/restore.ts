import { byClock, sharedEntry } from "../graph/merge/order.ts"
import { recordsOf } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { endRestoredSessions } from "../hive/host-process.ts"
import type { HivePlace } from "../hive/locate.ts"
import { askGit } from "../project/git/git.ts"
import type { Entry } from "../schemas/entry.ts"
import { kinds } from "../schemas/records.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { graphIn, type Store } from "../store/store.ts"
import { type BackedUp, findBackup } from "./backup.ts"
import { clonesIn, lastEntry } from "./clone-files.ts"
import { type RestoredState, restoreConfig, restoreHeads } from "./local-state.ts"
import {
  type Backup,
  hasBackup,
  isInRepository,
  LOG_REF,
  mergedRef,
  requireRepository,
  withRepository,
} from "./ref.ts"
import { fetchLog } from "./remote.ts"
import { NOTHING_YET, type SyncInput, type SyncReport, syncBackup, syncHive, unmarked } from "./sync.ts"

type RestoreReport = SyncReport & RestoredState & { unreachable: string | null }

/**
 * Restores lost entries from the backup, the repository's log and, if it can be reached, the remote. Restores the
 * configuration and read-heads that are missing from the backup.
 */
export async function restoreHive(input: RestoreInput): Promise<RestoreReport> {
  const { store, dir, home, remote } = input
  requireRepository(dir)
  const backup = findBackup({ home, dir })
  const isBackedUp = backup !== undefined && hasBackup(backup)
  let hasRemoteLog = false
  let unreachable: string | null = null
  const isShared = await withRepository(dir, "restore", async (repository) => {
    try {
      hasRemoteLog = remote !== null && (await fetchLog(repository, remote, input))
    } catch (error) {
      if (!(error instanceof HiveError)) throw error
      unreachable = error.message
    }
    return hasRemoteLog || (await repository.resolve(LOG_REF)) !== undefined
  })
  if (!isShared && !isBackedUp)
    throw new HiveError({
      code: "not_found",
      what: "Nothing was restored: there is no log.",
      why:
        unreachable ??
        (remote === null
          ? "Neither the backup nor the repository has one, and there is no remote."
          : `Neither the repository nor ${remote} has one.`),
      use_instead: "Run it in the clone that had the hive, or name a remote with the log: `--remote <name>`.",
      evidence: `${LOG_REF} in ${dir}`,
    })
  const from = { ...input, ...READ_ONLY, store: unmarked(store), remote: hasRemoteLog ? remote : null }
  // The configuration comes first, so that its limits apply even if the rest fails.
  const config = isBackedUp && (await restoreConfig(home, backup))
  const former = store.knownClone()
  // A clone that lost only the graph's folder still has its old name. Under that name, the backup's entries would
  // count as merged.
  await store.renameClone()
  const reports: SyncReport[] = []
  if (isBackedUp) reports.push(await syncBackup(store, backup))
  // Ends the sessions that this hive had: the backup has only these. Other clones' sessions may still run.
  const own = new Set([...reports.flatMap((report) => report.from), ...(await earlierClones(dir))])
  if (isShared) reports.push(await syncHive(from))
  const brought = reports.reduce((sum, report) => sum + report.brought, 0)
  const name = isBackedUp
    ? await usableName(store, dir, backup, brought === 0 ? former : undefined)
    : undefined
  if (name !== undefined) await store.renameClone(name)
  if (brought > 0) await endRestoredSessions({ store }, (writer) => own.has(writer))
  const heads = isBackedUp ? await restoreHeads(store, backup) : 0
  const clones = new Set(reports.flatMap((report) => report.from))
  return { ...NOTHING_YET, ...reports.at(-1), remote, brought, from: [...clones], config, heads, unreachable }
}

/**
 * Returns the name under which the hive can go on: the name that it had, or that the backup's newest entries have.
 * Otherwise one hive would count as two clones. Undefined if a sync under that name would leave entries out, because it
 * sends only what was written here after the last entry that a log has of the clone.
 */
async function usableName(
  store: Store,
  dir: string,
  backup: Backup,
  former: string | undefined,
): Promise<string | undefined> {
  const [saved, shared] = [await lastEntries(backup), await lastEntries(dir)]
  const [newest] = [...saved].sort(([, a], [, b]) => byClock(b, a))
  const name = former ?? newest?.[0]
  const present = await store.clone()
  // The restore has saved entries under the new name: they were in one log only.
  if (name === undefined || saved.has(present) || shared.has(present)) return undefined
  if (shared.has(name) && shared.get(name)?.id !== saved.get(name)?.id) return undefined
  if (former !== undefined) return former
  const own = await graphIn(store).log({ isOwn: true })
  return own.some((entry) => sharedEntry(entry) !== undefined) ? undefined : name
}

/** The last entry of each clone in a log. */
function lastEntries(from: string | Backup): Promise<Map<string, Entry>> {
  return withRepository(from, "restore", async (repo) => {
    const tree = await repo.readTree(await repo.resolve(repo.logRef))
    const found = new Map<string, Entry>()
    for (const clone of clonesIn(tree)) {
      const entry = await lastEntry(repo, tree, clone)
      if (entry !== undefined) found.set(clone, entry)
    }
    return found
  })
}

/** Returns the names under which this repository has synced. One of them was the lost hive's. */
async function earlierClones(dir: string): Promise<string[]> {
  const prefix = mergedRef("")
  const refs = await askGit(dir, ["for-each-ref", "--format=%(refname)", prefix])
  return (refs ?? "").split("\n").map((ref) => ref.slice(prefix.length))
}

type RestoreInput = Omit<SyncInput, "push" | "mayBegin"> & HivePlace

/** Restores a hive that has no records. Undefined if nothing came back. The caller opens the hive again for its `config`. */
export async function restoreIfGone({ store, home, dir, config }: BackedUp & Pick<Hive, "config">) {
  if (config.sync === "off" || !isInRepository(dir) || (await hasRecords(store))) return undefined
  if (!(await isKept({ home, dir }))) return undefined
  const report = await restoreHive({ store, home, dir, remote: null })
  return report.brought > 0 || report.config ? report : undefined
}

/** True if this machine has a copy of the log outside of `.hivemind/`. */
export async function isKept(place: HivePlace): Promise<boolean> {
  const backup = findBackup(place)
  return (backup !== undefined && hasBackup(backup)) || hasSharedLog(place.dir)
}

export function restoredText({ brought, ...state }: Pick<SyncReport, "brought"> & RestoredState): string {
  if (brought === 0) return "The configuration of .hivemind/ was gone: it came back from the backup"
  const also = restoredStateText(state)
  const entries = counted(brought, "entry", "entries")
  return `The records of .hivemind/ were gone: ${entries} came back from the backup${also && `, with ${also}`}`
}

export function restoredStateText({ config, heads }: RestoredState): string {
  const parts = [config ? "the configuration" : "", heads > 0 ? counted(heads, "read-head") : ""]
  return parts.filter((part) => part !== "").join(" and ")
}

/** True if the repository has a log. The first sync that a user asks for creates it. */
export async function hasSharedLog(dir: string): Promise<boolean> {
  return (await askGit(dir, ["rev-parse", "--quiet", "--verify", LOG_REF])) !== undefined
}

async function hasRecords(store: Store): Promise<boolean> {
  const graph = graphIn(store)
  const { state } = graph.read()
  if (kinds.some((kind) => recordsOf(state, kind).size > 0)) return true
  return (await graph.log({ limit: 1 })).length > 0
}

const READ_ONLY = { push: false, mayBegin: async () => false }
