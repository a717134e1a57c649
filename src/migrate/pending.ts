import { existsSync } from "node:fs"
import { join } from "node:path"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { readMigrations } from "../store/migrations.ts"

/**
 * May there be old files whose records are not all in the graph, and will be by themselves? One file is read, and in a
 * project without a graph three folders are looked for: every start asks this.
 */
export function mayBePending({ home, store }: Pick<Hive, "home" | "store">): boolean {
  const standing = migrationOf(home)
  if (standing !== "none") return standing === "running"
  return isEmptyGraph(store.read().state) && FOLDERS.some((folder) => existsSync(join(home, folder)))
}

/**
 * Of the project's own files. `running`: not all of their records are in the graph. `over`: they are, or have been taken
 * back, or somebody has begun the graph with another folder's.
 */
export function migrationOf(home: string): "none" | "running" | "over" {
  const migrations = readMigrations(home)
  if (migrations.length === 0) return "none"
  return migrations.some(({ state, from }) => state === "running" && from === undefined) ? "running" : "over"
}

/** Nobody has begun a graph of their own. */
export function isEmptyGraph({ plan, task, mem, anchor }: GraphState): boolean {
  return plan.size + task.size + mem.size + anchor.size === 0
}

// Where older tools kept their files.
const FOLDERS = [".hivemind", ".idumb", ".opencode/planning"]
