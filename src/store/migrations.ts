import { dirname, join } from "node:path"
import { readJson } from "./files/json-lines.ts"
import { type HivePaths, hivePaths } from "./files/layout.ts"
import { makeFolderOf, moveText, readText, removeText } from "./files/text-file.ts"
import { syncFolder, writeAtomic } from "./files/write-file.ts"
import { takeLockAt } from "./lock.ts"

/** How far the migration of older layouts is. `done` is written last: before that, the next start continues it. */
export interface Migration {
  /** `moving`: every record is in the graph, and the old files are being renamed. */
  state: "running" | "moving" | "done" | "undoing" | "undone"
  started_at: string
  finished_at: string | null
  /** Files that are renamed to `.bak`, relative to the project, oldest first. */
  moves: { from: string; to: string }[]
  /** A hash of every version of each old file that was read, by the file's name. */
  signs: Record<string, string[]>
  /** The configuration before and after; null where nothing was set in it. */
  config: { before: string | null; after: string | null } | null
  report: unknown
}

/** Undefined if there was no migration, or its file is damaged: reading the old files again changes nothing. */
export function readMigration(home: string): Migration | undefined {
  const read = readJson(hivePaths(home).migration) as Partial<Migration> | null | undefined
  if (read?.state === undefined) return undefined
  const empty = { started_at: "", finished_at: null, moves: [], signs: {}, config: null, report: null }
  return { ...empty, ...read, state: read.state }
}

export function writeMigration(home: string, migration: Migration): void {
  const path = hivePaths(home).migration
  makeFolderOf(path)
  writeAtomic(path, `${JSON.stringify(migration, null, 1)}\n`)
}

/** Runs a job while no other process migrates this hive. Calls `onWait` if it has to wait for one. */
export async function whileMigrating<T>(
  home: string,
  job: () => Promise<T>,
  onWait: () => void = () => {},
): Promise<T> {
  const path = hivePaths(home).migrationLock
  makeFolderOf(path)
  const waiting = setTimeout(onWait, NOTICEABLE_MS)
  const lock = await takeLockAt(path).finally(() => clearTimeout(waiting))
  try {
    return await job()
  } finally {
    lock.release()
  }
}

/** Moves files, each in one step. Leaves one that is not there or whose target exists. Returns those that were moved. */
export function moveFiles(home: string, moves: readonly { from: string; to: string }[]): string[] {
  const moved = moves.filter(({ from, to }) => moveText(join(home, from), join(home, to)))
  for (const folder of new Set(moved.map(({ to }) => dirname(join(home, to))))) syncFolder(folder)
  return moved.map(({ from }) => from)
}

/** Writes the project's configuration if it is still `before`; null is no file. True if it is `after` then. */
export function replaceConfig(paths: HivePaths, before: string | null, after: string | null): boolean {
  const now = readText(paths.config) ?? null
  if (now === after) return true
  if (now !== before) return false
  if (after === null) removeText(paths.config)
  else {
    makeFolderOf(paths.config)
    writeAtomic(paths.config, after)
  }
  return true
}

const NOTICEABLE_MS = 500
