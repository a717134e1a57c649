import type { Hive } from "../../hive/hive.ts"
import { listExports, type StrangeFile } from "../../store/files/export-files.ts"
import { hivePaths } from "../../store/layout.ts"

export interface DescribedExport {
  name: string
  exported_at: string
  stamp: string
  is_complete: boolean
  issues: number
  is_stale: boolean
}

/** The exports in a line each, newest first, and the files in their folder that are none. */
export function describeExports({ dir }: Hive): { exports: DescribedExport[]; strange: StrangeFile[] } {
  const { exports, strange } = listExports(hivePaths(dir))
  return {
    exports: exports.map(({ name, record: { exported_at, session, validation, is_stale } }) => ({
      name,
      exported_at,
      stamp: session.stamp,
      is_complete: validation.is_complete,
      issues: validation.issues.length,
      is_stale,
    })),
    strange,
  }
}
