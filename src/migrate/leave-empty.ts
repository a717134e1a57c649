import { existsSync } from "node:fs"
import { recordsOf } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { kinds } from "../schemas/records.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { hivePaths } from "../store/files/layout.ts"
import { readMigrations } from "../store/migrations.ts"
import { putGitignoreBack, removeHive } from "../store/remove-hive.ts"
import type { Store } from "../store/store.ts"
import { removeBackup } from "../sync/backup.ts"
import { graphOnly } from "./graph-only.ts"

/**
 * After something was taken back: where nothing is left of a hive that only migrations and imports have filled,
 * `.hivemind/` becomes what it was before. Where a person has set it up, or worked in it since, it stays.
 */
export async function leaveIfEmpty(hive: Hive): Promise<void> {
  const { home, dir, store } = graphOnly(hive).hive
  const migrations = readMigrations(home)
  if (existsSync(hivePaths(home).install) || migrations.some(({ state }) => state !== "undone")) return
  const { state } = store.read()
  const count = (each: (typeof kinds)[number]) => recordsOf(state, each).size
  const work = count("plan") + count("task") + count("mem") + count("anchor")
  if (work > 0 || (await runInSlices(hasArchived(store)))) return
  const isUsed = kinds.some((kind) => count(kind) > 0) || store.syncMark() !== undefined
  if (isUsed || (await store.log({ besides: OURS, limit: 1 })).length > 0) putGitignoreBack(home)
  // Without a note the next start would take the old files over again by itself.
  else {
    await removeHive(home, migrations.length > 0)
    await removeBackup({ home, dir })
  }
}

/** Its files still have what was dropped, so their length says nothing. */
function* hasArchived({ archive }: Store): Pausing<boolean> {
  for (const mem of archive.walk(() => false)) {
    if (mem !== undefined) return true
    yield
  }
  return false
}

// What they write themselves, and what a fold does for them.
const OURS = ["migrate", "hivemind import", "archive"]
