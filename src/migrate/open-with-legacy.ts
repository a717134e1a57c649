import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import type { HivePlace } from "../hive/locate.ts"
import { type OpenHiveInput, openHiveAt } from "../hive/open.ts"
import { withTimeout } from "../shared/timeout.ts"
import { readMigration } from "../store/migrations.ts"

/** Opens a hive for a host. Waits at most a second until records of old files are read. */
export async function openWithLegacyFiles(place: HivePlace, input: OpenHiveInput) {
  const { hive, configProblems } = await openHiveAt(place, input)
  return { hive: await withLegacyFiles(hive, FIRST_TURN_MS), configProblems }
}

/** Makes the store also return the records of old files, until these are migrated. */
export async function withLegacyFiles(hive: Hive, maxMs?: number): Promise<Hive> {
  if (!mayBePending(hive)) return hive
  // Loaded only when needed, because most projects have no old files.
  const { findReadableFiles, readIntoMemory, readThroughStore } = await import("./read-through.ts")
  const files = findReadableFiles(hive.home)
  if (files.length === 0) return hive
  const legacy = readIntoMemory(hive, files)
  if (maxMs === undefined) await legacy.read
  else await withTimeout(legacy.read, maxMs)
  return { ...hive, store: readThroughStore(hive, legacy) }
}

/** True if there may be old files to migrate. Runs at every start, so it only looks at one small file and three folders. */
export function mayBePending({ home, store }: Pick<Hive, "home" | "store">): boolean {
  const state = readMigration(home)?.state
  if (state !== undefined) return state === "running" || state === "moving"
  const { plan, task, mem, anchor } = store.read().state
  const isEmpty = plan.size + task.size + mem.size + anchor.size === 0
  return isEmpty && FOLDERS.some((folder) => existsSync(join(home, folder)))
}

const FOLDERS = [".hivemind", ".idumb", ".opencode/planning"]
const FIRST_TURN_MS = 1000
