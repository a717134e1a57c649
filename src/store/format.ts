import { dirname } from "node:path"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { isMissing, mkdirSync, readFileSync } from "./files/hive-fs.ts"
import { parseJson } from "./files/json-lines.ts"
import type { HivePaths } from "./files/layout.ts"
import { setAside } from "./files/text-file.ts"
import { writeAtomic } from "./files/write-file.ts"

export const FORMAT = 2

/** Reads the hive's format number. `broken`: the file exists, but has no valid number. */
export function readFormat(paths: HivePaths): { format: number; broken: boolean; there: boolean } {
  let text: string
  try {
    text = readFileSync(paths.manifest, "utf8")
  } catch (error) {
    return { format: FORMAT, there: false, broken: !isMissing(error) }
  }
  const format = (parseJson(text) as { format?: number } | null | undefined)?.format ?? 0
  if (Number.isSafeInteger(format) && format > 0) return { format, broken: false, there: true }
  return { format: FORMAT, broken: true, there: true }
}

/** Throws if a newer version of HiveMind has written the hive: this version may read the hive, but not write to it. */
export function refuseNewerFormat(paths: HivePaths): void {
  const { format } = readFormat(paths)
  if (format <= FORMAT) return
  throw new HiveError({
    code: "newer_format",
    what: "This version of HiveMind cannot write to this .hivemind/.",
    why: `It has format ${format}; this version knows formats up to ${FORMAT}.`,
    use_instead: "Update hivemind-opencode. Reading still works, and nothing was changed.",
    evidence: `${paths.manifest}: format ${format}`,
  })
}

/** True if the hive has the current format, so that the first write needs no lock. */
export function isReady(paths: HivePaths): boolean {
  const { format, broken, there } = readFormat(paths)
  return there && !broken && format === FORMAT
}

/** Writes the format before the first write, under the lock. An upgrade of an older format would go here. */
export function ensureFormat(paths: HivePaths, source: Source): void {
  refuseNewerFormat(paths)
  const { broken, there } = readFormat(paths)
  if (broken) setAside(paths.manifest, source.now())
  if (there && !broken) return
  mkdirSync(dirname(paths.manifest))
  writeAtomic(paths.manifest, `${JSON.stringify({ format: FORMAT })}\n`)
}
