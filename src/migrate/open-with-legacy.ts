import { existsSync } from "node:fs"
import { join } from "node:path"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { HivePlace } from "../hive/locate.ts"
import { type OpenHiveInput, openHiveAt } from "../hive/open.ts"
import { withTimeout } from "../shared/timeout.ts"
import { readMigration } from "../store/migrations.ts"

/** Opens the graph of a project for a host: see `withLegacyFiles`. The first turn waits no longer than a second. */
export async function openWithLegacyFiles(
  place: HivePlace,
  input: OpenHiveInput,
): Promise<{ hive: Hive; configProblems: string[] }> {
  const { hive, configProblems } = await openHiveAt(place, input)
  return { hive: await withLegacyFiles(hive, FIRST_TURN_MS), configProblems }
}

/**
 * The hive, with the records of old files beside those of its graph until the files are migrated. Where there are none, it is
 * the hive itself.
 */
export async function withLegacyFiles(hive: Hive, maxMs?: number): Promise<Hive> {
  if (!mayBePending(hive)) return hive
  // Most projects have no old files, and a host's start should load little.
  const { findReadableFiles, readIntoMemory, readThroughStore } = await import("./read-through.ts")
  const files = findReadableFiles(hive.home)
  if (files.length === 0) return hive
  const legacy = readIntoMemory(hive, files)
  if (maxMs === undefined) await legacy.read
  else await withTimeout(legacy.read, maxMs)
  return { ...hive, store: readThroughStore(hive, legacy) }
}

/**
 * May there be old files that will be migrated automatically? Every start asks this: it reads one small file, and in a project
 * without a graph looks for three folders.
 */
export function mayBePending({ home, store }: Pick<Hive, "home" | "store">): boolean {
  const state = readMigration(home)?.state
  if (state !== undefined) return state === "running" || state === "moving"
  return isEmptyGraph(store.read().state) && FOLDERS.some((folder) => existsSync(join(home, folder)))
}

function isEmptyGraph({ plan, task, mem, anchor }: GraphState): boolean {
  return plan.size + task.size + mem.size + anchor.size === 0
}

// Where older tools kept their files.
const FOLDERS = [".hivemind", ".idumb", ".opencode/planning"]
const FIRST_TURN_MS = 1000
