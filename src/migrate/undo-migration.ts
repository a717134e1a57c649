import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { hivePaths } from "../store/files/layout.ts"
import { removeText, signOf } from "../store/files/text-file.ts"
import {
  type Migration,
  moveFiles,
  readMigration,
  replaceConfig,
  whileMigrating,
  writeMigration,
} from "../store/migrations.ts"
import { graphIn } from "../store/store.ts"
import { MIGRATE } from "./migrate.ts"
import { removeHiveIfUnused, type UndoneRecords, undoRecords } from "./records/undo-records.ts"

export interface Undone extends UndoneRecords {
  files: string[]
  /** `.bak` files of older versions: the old tool wrote the file again after a migration, and only the newest is restored. */
  earlier: string[]
  left: string[]
}

/** Removes migrated records and renames the old files back. Undefined if there was no migration. */
export async function undoMigration(
  given: Hive,
  { onProgress, onWait }: { onProgress?: (done: number) => void; onWait?: () => void } = {},
): Promise<Undone | undefined> {
  const hive = { ...given, store: graphIn(given.store) }
  const undone = (await hasMigrated(hive))
    ? await whileMigrating(hive.home, () => undoAll(hive, onProgress), onWait)
    : undefined
  await removeHiveIfUnused(hive)
  return undone
}

async function hasMigrated(hive: Hive): Promise<boolean> {
  if ((readMigration(hive.home)?.state ?? "undone") !== "undone") return true
  // An interrupted migration with `--from` has written records but no mark.
  const { dropped } = await undoRecords(hive, MIGRATE.tool, { dryRun: true })
  return Object.keys(dropped).length > 0
}

async function undoAll(hive: Hive, onProgress?: (done: number) => void): Promise<Undone> {
  const { home } = hive
  const mark = readMigration(home)
  // The mark comes first, so that no start migrates the files again before the undo is done.
  if (mark !== undefined) writeMigration(home, { ...mark, state: "undoing" })
  const records = await undoRecords(hive, MIGRATE.tool, onProgress === undefined ? {} : { onProgress })
  if (mark === undefined) return { ...records, files: [], earlier: [], left: [] }
  const files = putFilesBack(home, mark)
  const finished_at = new Date(hive.source.now()).toISOString()
  writeMigration(home, { ...mark, state: "undone", finished_at, signs: {} })
  return { ...records, ...files }
}

function putFilesBack(home: string, { moves, config }: Migration) {
  const back = { files: [] as string[], earlier: [] as string[], left: [] as string[] }
  for (const { from, to } of moves.toReversed()) {
    const [path, copy] = [join(home, from), join(home, to)]
    const isBack = existsSync(path) && !existsSync(copy)
    const isMoved =
      isBack || moveFiles(home, [{ from: to, to: from }]).length > 0 || dropEqualCopy(path, copy)
    if (isMoved && !back.files.includes(from)) back.files.push(from)
    else if (isMoved) continue
    else if (back.files.includes(from) && existsSync(copy)) back.earlier.push(to)
    else if (!existsSync(copy)) back.left.push(`${from}: the copy ${to} no longer exists`)
    else if (existsSync(path))
      back.left.push(`${from}: there is a newer file, which is kept; the migrated version is ${to}`)
    else back.left.push(`${from}: ${to} could not be renamed`)
  }
  if (config !== null && !replaceConfig(hivePaths(home), config.after, config.before))
    back.left.push("system/config.json: the file was changed since the migration, so it is kept")
  return back
}

/** Deletes a `.bak` file if the original is there again with the same content, for example after `git checkout`. */
function dropEqualCopy(path: string, copy: string): boolean {
  if (!existsSync(path) || !existsSync(copy)) return false
  const sign = signOf(copy)
  if (sign === undefined || sign !== signOf(path)) return false
  removeText(copy)
  return true
}
