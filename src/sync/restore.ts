import { recordsOf } from "../graph/state.ts"
import { kinds } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import type { Store } from "../store/store.ts"
import { explained } from "./git-errors.ts"
import { LOG_REF, openRepository } from "./ref.ts"
import { fetchLog } from "./remote.ts"
import { requireRepository } from "./require-repository.ts"
import { type SyncInput, type SyncReport, syncHive } from "./sync.ts"

export interface RestoreReport extends SyncReport {
  /** Why the remote was not asked, if it was not. */
  unreachable: string | null
}

/** Brings a hive that is gone back from the repository's log, and from the remote's where that can be reached. */
export async function restoreHive(input: Omit<SyncInput, "push" | "mayBegin">): Promise<RestoreReport> {
  const { store, dir, remote } = input
  requireRepository(dir)
  if (await hasRecords(store)) throw isThere(dir)
  const repository = openRepository(dir)
  let hasLog = false
  let unreachable: string | null = null
  try {
    try {
      hasLog = remote !== null && (await fetchLog(repository, remote, input))
    } catch (error) {
      if (!(error instanceof HiveError)) throw error
      unreachable = error.message
    }
    if (!hasLog && (await repository.resolve(LOG_REF)) === undefined) throw noLog(dir, remote, unreachable)
  } catch (error) {
    throw explained(error, "restore")
  } finally {
    repository.close()
  }
  const report = await syncHive({
    ...input,
    remote: hasLog ? remote : null,
    push: false,
    mayBegin: async () => false,
  })
  return { ...report, unreachable }
}

async function hasRecords(store: Store): Promise<boolean> {
  const { state } = store.read()
  if (kinds.some((kind) => recordsOf(state, kind).size > 0)) return true
  return (await store.log({ limit: 1 })).length > 0
}

function isThere(dir: string): HiveError {
  return new HiveError({
    code: "conflict",
    what: "Nothing was restored: there is a hive with entries already.",
    why: "Restoring is for a hive that is gone; what is in the log comes into one that is there by itself.",
    use_instead: "Run `hivemind sync`: it brings what is missing, and loses nothing.",
    evidence: dir,
  })
}

function noLog(dir: string, remote: string | null, unreachable: string | null): HiveError {
  return new HiveError({
    code: "not_found",
    what: "Nothing was restored: there is no log.",
    why:
      unreachable ??
      (remote === null
        ? "The repository has none, and there is no remote."
        : `Neither the repository nor ${remote} has one.`),
    use_instead: "Run it in the clone that had the hive, or with `--remote <name>` that has the log.",
    evidence: `${LOG_REF} in ${dir}`,
  })
}
