import { dirname, join } from "node:path"
import { explainSystemError } from "../shared/system-error.ts"
import { writeAtomic } from "./files/atomic-write.ts"
import { syncFolder } from "./files/folder.ts"
import { mkdirSync, readFileSync } from "./files/hive-fs.ts"
import { type HivePaths, hivePaths } from "./files/layout.ts"
import { moveText, readText, removeText } from "./files/text-file.ts"
import { takeLockAt } from "./lock.ts"

/** One migration of an older layout. `done` is written last: before that, the next start goes on with it. */
export interface Migration {
  state: "running" | "moving" | "done" | "undoing" | "undone"
  /** The folder of another project whose files it is of; left out where they are this project's own. */
  from?: string
  started_at: string
  finished_at: string | null
  /** Files that are kept beside as `.bak`, relative to the project. */
  moves: { from: string; to: string }[]
  /** Files that stay where they are, each with a sign of its content: one that has changed is read again. */
  stays: Record<string, string>
  /** How the files that are to be moved were when they were read; only until they are moved. */
  marks?: Record<string, string>
  /** Folders of an older tool that nobody could look into. */
  denied?: string[]
  /** The configuration before and after; null for none. */
  config: { before: string | null; after: string | null } | null
  report: unknown
}

/** All migrations of this hive, oldest first; none where the file is missing or damaged. */
export function readMigrations(home: string): Migration[] {
  try {
    const { migrations } = JSON.parse(readFileSync(hivePaths(home).migration, "utf8")) as {
      migrations?: Migration[]
    }
    return Array.isArray(migrations) ? migrations : []
  } catch {
    return [] // None yet; a damaged one costs only what it says, and reading again changes nothing.
  }
}

export function writeMigrations(home: string, migrations: readonly Migration[]): void {
  const path = hivePaths(home).migration
  makeFolder(path)
  writeAtomic(path, `${JSON.stringify({ migrations }, null, 1)}\n`)
}

/** Runs a job while no other process migrates this hive; `onWait` is told where it has to wait for one. */
export async function whileMigrating<T>(
  home: string,
  job: () => Promise<T>,
  onWait: () => void = () => {},
): Promise<T> {
  const path = hivePaths(home).migrationLock
  makeFolder(path)
  const told = setTimeout(onWait, TELL_AFTER_MS)
  const lock = await takeLockAt(path).finally(() => clearTimeout(told))
  try {
    return await job()
  } finally {
    lock.release()
  }
}

/** Moves files, each in one step. Returns those that were moved: one that is not there, or whose place is taken, is left. */
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
    makeFolder(paths.config)
    writeAtomic(paths.config, after)
  }
  return true
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path))
  } catch (error) {
    throw explainSystemError(error, "make a folder", dirname(path))
  }
}

// A wait that nobody notices is not told of.
const TELL_AFTER_MS = 500
