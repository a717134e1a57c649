import { dirname } from "node:path"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { systemCode } from "../shared/system-error.ts"
import { writeAtomic } from "./files/atomic-write.ts"
import { setAside } from "./files/broken-file.ts"
import { mkdirSync, readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"

/** The format this code writes. */
export const FORMAT = 2

/** The format of the files; FORMAT where nothing says so. `broken` tells that the manifest could not be read. */
export function readFormat(paths: HivePaths): { format: number; broken: boolean; there: boolean } {
  let text: string
  try {
    text = readFileSync(paths.manifest, "utf8")
  } catch (error) {
    return {
      format: FORMAT,
      there: false,
      broken: systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR",
    }
  }
  try {
    const { format } = JSON.parse(text) as { format?: unknown }
    if (Number.isSafeInteger(format) && (format as number) > 0) {
      return { format: format as number, broken: false, there: true }
    }
  } catch {
    // Not JSON: reported as broken below.
  }
  return { format: FORMAT, broken: true, there: true }
}

/** Files of a format to come are read, but never touched. */
export function refuseNewerFormat(paths: HivePaths): void {
  const { format } = readFormat(paths)
  if (format > FORMAT) throw newerFormat(paths, format)
}

/** True if the files need nothing before they are written to: then no lock is needed either. */
export function isReady(paths: HivePaths): boolean {
  const { format, broken, there } = readFormat(paths)
  return there && !broken && format === FORMAT
}

/** Before the first write, under the lock: writes the format down. An upgrade of an older format would run here. */
export async function ensureFormat(paths: HivePaths, source: Source): Promise<void> {
  refuseNewerFormat(paths)
  const { broken, there } = readFormat(paths)
  if (broken) await setAside(paths.manifest, source.now())
  if (broken || !there) await writeManifest(paths)
}

async function writeManifest(paths: HivePaths): Promise<void> {
  mkdirSync(dirname(paths.manifest))
  writeAtomic(paths.manifest, `${JSON.stringify({ format: FORMAT })}\n`)
}

function newerFormat(paths: HivePaths, format: number): HiveError {
  return new HiveError({
    code: "newer_format",
    what: "This .hivemind/ cannot be written by this version.",
    why: `It has format ${format}; this version knows formats up to ${FORMAT}.`,
    use_instead: "Update hivemind-opencode. Reading still works; nothing was changed.",
    evidence: `${paths.manifest}: format ${format}`,
  })
}
