import type { Hive } from "../../hive/hive.ts"
import { listExports, removeExport } from "../../store/files/export-files.ts"
import { hivePaths } from "../../store/layout.ts"

/**
 * Deletes all exports but the newest `keep`, over all sessions. They are views of the graph, and nothing reads them
 * later than the synthesis; what is damaged or not ours stays and does not count.
 */
export function pruneExports(
  { dir, config }: Hive,
  keep = config.exports_kept,
): { kept: number; removed: string[] } {
  const paths = hivePaths(dir)
  const { exports } = listExports(paths)
  const old = exports.slice(keep)
  for (const file of old) removeExport(paths, file)
  return { kept: exports.length - old.length, removed: old.map(({ name }) => name) }
}
