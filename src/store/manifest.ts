import { readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import { HiveError } from "../shared/error.ts"
import { systemCode } from "../shared/system-error.ts"
import { writeAtomic } from "./atomic-write.ts"
import { setAside } from "./broken-file.ts"
import type { HivePaths } from "./layout.ts"

/** The format this code writes. */
export const FORMAT = 1

export interface Upgrade {
  from: number
  /** Brings the files from format `from` to `from + 1`. May be run again after a crash. */
  run(paths: HivePaths): Promise<void>
}

/** Every step from format 1 to FORMAT, in order. */
const upgrades: readonly Upgrade[] = []

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
export function refuseNewerFormat(paths: HivePaths, target: number = FORMAT): void {
  const { format } = readFormat(paths)
  if (format > target) throw newerFormat(paths, format, target)
}

/** Before the first write: refuses files of a newer format, upgrades older ones, writes the manifest if there is none. */
export async function ensureFormat(
  paths: HivePaths,
  now: number,
  steps: readonly Upgrade[] = upgrades,
  target: number = FORMAT,
): Promise<void> {
  refuseNewerFormat(paths, target)
  const { format, broken, there } = readFormat(paths)
  if (there && !broken && format === target) return
  for (const step of steps) {
    if (step.from < format) continue
    await step.run(paths)
    await writeManifest(paths, step.from + 1)
  }
  if (broken) await setAside(paths.manifest, now)
  if (broken || !there) await writeManifest(paths, target)
}

async function writeManifest(paths: HivePaths, format: number): Promise<void> {
  await mkdir(dirname(paths.manifest), { recursive: true })
  writeAtomic(paths.manifest, `${JSON.stringify({ format })}\n`)
}

function newerFormat(paths: HivePaths, format: number, target: number): HiveError {
  return new HiveError({
    code: "newer_format",
    what: "This .hivemind/ cannot be written by this version.",
    why: `It has format ${format}; this version knows formats up to ${target}.`,
    use_instead: "Update hivemind-opencode. Reading still works; nothing was changed.",
    evidence: `${paths.manifest}: format ${format}`,
  })
}
