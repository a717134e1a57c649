import { recordsOf } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { endRestoredSessions } from "../hive/host-process.ts"
import type { HivePlace } from "../hive/locate.ts"
import { askGit } from "../project/git/git.ts"
import { kinds } from "../schemas/records.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { graphIn, type Store } from "../store/store.ts"
import { type BackedUp, findBackup } from "./backup.ts"
import { explained } from "./git-errors.ts"
import { hasBackup, isInRepository, LOG_REF, mergedRef, openRepository, requireRepository } from "./ref.ts"
import { fetchLog } from "./remote.ts"
import { NOTHING_YET, type SyncInput, type SyncReport, syncBackup, syncHive, unmarked } from "./sync.ts"

export interface RestoreReport extends SyncReport {
  /** Why the remote was not asked, if it was not. */
  unreachable: string | null
}

/**
 * Brings back lost entries from the backup, the repository's log, and the remote's log if that can be reached. Entries that
 * are there stay: an agent that still runs may have written since the hive was deleted.
 */
export async function restoreHive(input: RestoreInput): Promise<RestoreReport> {
  const { store, dir, home, remote } = input
  requireRepository(dir)
  const backup = findBackup({ home, dir })
  const isBackedUp = backup !== undefined && hasBackup(backup)
  const repository = openRepository(dir)
  let hasRemoteLog = false
  let isShared = false
  let unreachable: string | null = null
  try {
    try {
      hasRemoteLog = remote !== null && (await fetchLog(repository, remote, input))
    } catch (error) {
      if (!(error instanceof HiveError)) throw error
      unreachable = error.message
    }
    isShared = hasRemoteLog || (await repository.resolve(LOG_REF)) !== undefined
    if (!isShared && !isBackedUp) throw noLog(dir, remote, unreachable)
  } catch (error) {
    throw explained(error, "restore")
  } finally {
    repository.close()
  }
  const from = { ...input, ...READ_ONLY, store: unmarked(store), remote: hasRemoteLog ? remote : null }
  // If only the graph's folder was deleted, the clone has its old name and would take the backup's entries for known.
  await store.renameClone()
  const reports: SyncReport[] = []
  if (isBackedUp) reports.push(await syncBackup(store, backup))
  // All sessions in the backup are this hive's own; those of other clones may still run.
  const own = new Set([...reports.flatMap((report) => report.from), ...(await earlierClones(dir))])
  if (isShared) reports.push(await syncHive(from))
  const brought = reports.reduce((sum, report) => sum + report.brought, 0)
  if (brought > 0) await endRestoredSessions({ store }, (writer) => own.has(writer))
  const clones = new Set(reports.flatMap((report) => report.from))
  return { ...NOTHING_YET, ...reports.at(-1), remote, brought, from: [...clones], unreachable }
}

/** The names under which this repository has synced before: the lost hive had one of them. */
async function earlierClones(dir: string): Promise<string[]> {
  const prefix = mergedRef("")
  const refs = await askGit(dir, ["for-each-ref", "--format=%(refname)", prefix])
  return (refs ?? "").split("\n").map((ref) => ref.slice(prefix.length))
}

type RestoreInput = Omit<SyncInput, "push" | "mayBegin"> & HivePlace

/** Restores a hive whose records are all gone. Returns the number of entries. */
export async function restoreIfGone({ store, home, dir, config }: BackedUp & Pick<Hive, "config">) {
  if (config.sync === "off" || !isInRepository(dir) || (await hasRecords(store))) return 0
  return (await isKept({ home, dir })) ? (await restoreHive({ store, home, dir, remote: null })).brought : 0
}

/** True if this machine has a copy of the log outside of the hive's folder. */
export async function isKept(place: HivePlace): Promise<boolean> {
  const backup = findBackup(place)
  return (backup !== undefined && hasBackup(backup)) || hasSharedLog(place.dir)
}

export function restoredText(entries: number): string {
  return `The records of .hivemind/ were gone: ${counted(entries, "entry", "entries")} came back from the backup`
}

/** True if the user's repository has the log. Only a sync that a user has asked for creates it. */
export async function hasSharedLog(dir: string): Promise<boolean> {
  return (await askGit(dir, ["rev-parse", "--quiet", "--verify", LOG_REF])) !== undefined
}

async function hasRecords(store: Store): Promise<boolean> {
  const graph = graphIn(store)
  const { state } = graph.read()
  if (kinds.some((kind) => recordsOf(state, kind).size > 0)) return true
  return (await graph.log({ limit: 1 })).length > 0
}

function noLog(dir: string, remote: string | null, unreachable: string | null): HiveError {
  return new HiveError({
    code: "not_found",
    what: "Nothing was restored: there is no log.",
    why:
      unreachable ??
      (remote === null
        ? "Neither the backup nor the repository has one, and there is no remote."
        : `Neither the repository nor ${remote} has one.`),
    use_instead: "Run it in the clone that had the hive, or with `--remote <name>` that has the log.",
    evidence: `${LOG_REF} in ${dir}`,
  })
}

const READ_ONLY = { push: false, mayBegin: async () => false }
