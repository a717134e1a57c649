import { dirname, join } from "node:path"
import { readJson } from "./files/json-lines.ts"
import { type HivePaths, hivePaths } from "./files/layout.ts"
import { makeFolderOf, moveText, readText, removeText } from "./files/text-file.ts"
import { syncFolder, writeAtomic } from "./files/write-file.ts"
import { takeLockAt } from "./lock.ts"

/** The progress of a migration from an older layout. The next start continues one that is `running` or `moving`. */
export interface Migration {
  /** `moving`: all records are in the graph, and the old files are being renamed. */
  state: "running" | "moving" | "done" | "undoing" | "undone"
  started_at: string
  finished_at: string | null
  /** Files renamed to `.bak`, relative to the project, oldest first. */
  moves: { from: string; to: string }[]
  /** Hashes of each old file, one for every version that was read. */
  signs: Record<string, string[]>
  /** The configuration before and after the migration; null if the migration did not change it. */
  config: { before: string | null; after: string | null } | null
  report: unknown
}

/** Returns undefined if the file is missing or damaged. Then the old files are read, which does no harm a second time. */
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

/** Runs a job under the migration lock. Calls `onWait` if another process holds it. */
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

/** Moves files, except those that are gone or whose target exists. Returns the moved ones. */
export function moveFiles(home: string, moves: readonly { from: string; to: string }[]): string[] {
  const moved = moves.filter(({ from, to }) => moveText(join(home, from), join(home, to)))
  for (const folder of new Set(moved.map(({ to }) => dirname(join(home, to))))) syncFolder(folder)
  return moved.map(({ from }) => from)
}

/** Replaces the configuration if it is still `before`; null means no file. True if it is `after` in the end. */
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
