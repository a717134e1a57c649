import { join } from "node:path"
import { existsSync, readFileSync } from "./files/hive-fs.ts"
import { hasHive, hivePaths } from "./files/layout.ts"
import { manifestNumbers } from "./snapshot/manifest.ts"

/** Files that tools before HiveMind kept in a folder of the same name, relative to `.hivemind/`. HiveMind writes none of them. */
const OLDER_FILES = [
  "sessions/manifest.json",
  "graph/trajectory.json",
  "graph/plans.json",
  "graph/tasks.json",
  "graph/mems.json",
  "graph/artifacts.json",
  "state/anchors.json",
  "state/brain.json",
]

/** Whether a file of a name that both know was written by a tool before HiveMind. Both have an `orphans.json`. */
export function isOfOlderTool(root: string, path: string): boolean {
  if (!path.endsWith(".json")) return false
  if (path !== join(root, "graph", "orphans.json")) return true
  const head = headOf(path)
  return /"version"\s*:/.test(head) || head.includes('"original_data"')
}

/** Whether HiveMind itself has been at work, not only a tool before it that had a folder of the same name. */
export function isOwnHive(projectDir: string): boolean {
  if (!hasHive(projectDir)) return false
  const paths = hivePaths(projectDir)
  if (existsSync(paths.log) || manifestNumbers(paths.graph).length > 0) return true
  return !OLDER_FILES.some((file) => existsSync(join(paths.root, file)))
}

function headOf(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, HEAD_CHARS)
  } catch {
    return "" // Gone or unreadable: reading it as a whole reports that.
  }
}

const HEAD_CHARS = 4096
