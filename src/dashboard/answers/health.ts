import { join } from "node:path"
import { compare } from "../../graph/by-age.ts"
import { isStanding, standingConflicts } from "../../graph/conflict-standing.ts"
import { describeConflict } from "../../graph/conflict-words.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import { listTree, readdirSync, statSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { describeSyncState, syncState } from "../../sync/state.ts"
import { listBrokenCopies } from "../../views/health/broken-copies.ts"
import { fileProblems } from "../../views/health/file-problems.ts"
import { pageOf } from "../../views/look/page.ts"
import { refusalsOf } from "../../views/look/refusals.ts"
import { askedFor } from "./asked.ts"
import { brokenRecord, plainReason } from "./broken-record.ts"
import type { ConflictRow, HealthView } from "./model.ts"
import { snapshotHealth } from "./snapshots.ts"

/** What is wrong with the files, what clones disagree on, and what was refused. */
export async function healthAnswer(hive: Hive): Promise<HealthView> {
  // Git's trouble is for doctor to tell.
  const sync = await syncState(hive.store, hive.dir).catch(() => null)
  const { problems, unlisted, edited, unfolded } = hive.store.health()
  const { state } = hive.store.read()
  return {
    problems: fileProblems(hive.home, problems).map(({ kind, id, reason, raw, level, file, mend }) => ({
      what: plainReason(reason),
      level,
      file,
      mend,
      ...(level === "quarantined" &&
        kind !== null &&
        raw !== null && { record: { kind, id, ...brokenRecord(raw, reason) } }),
    })),
    unlisted,
    edited: [...edited],
    unfolded,
    setAside: listBrokenCopies(hive.home),
    conflicts: standingConflicts(state).map((conflict) => rowOf(conflict, state)),
    settled: [...state.conflict.values()]
      .filter((conflict) => !isStanding(conflict, state))
      .sort((a, b) => compare(b.created_at, a.created_at))
      .slice(0, MAX_SETTLED)
      .map((conflict) => rowOf(conflict, state)),
    sizes: sizesOf(hivePaths(hive.home).root),
    sync: sync === null ? null : describeSyncState(sync),
    snapshots: await snapshotHealth(hive),
    asked: askedFor(hive),
    refusals: pageOf(refusalsOf(hive, {}), { limit: MAX_REFUSALS, page: 1 }),
  }
}

function rowOf(conflict: Conflict, state: GraphState): ConflictRow {
  const { id, created_at, kept, lost } = conflict
  return {
    ...{ id, at: created_at, kept_by: kept.writer, lost_by: lost.writer },
    ...describeConflict(conflict, state),
  }
}

/** Of each folder in it, in bytes. */
function sizesOf(root: string): HealthView["sizes"] {
  return readdirSync(root)
    .filter((name) => statSync(join(root, name)).isDirectory())
    .map((name) => ({ name, bytes: bytesIn(join(root, name)) }))
}

function bytesIn(folder: string): number {
  return listTree(folder).reduce(
    (sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

const MAX_REFUSALS = 200
const MAX_SETTLED = 50
