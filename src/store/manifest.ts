import { readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import * as z from "zod"
import { HiveError } from "../shared/error.ts"
import { systemCode } from "../shared/system-error.ts"
import { writeAtomic } from "./atomic-write.ts"
import { setAside } from "./broken-file.ts"
import type { HivePaths } from "./layout.ts"
import { listFolder } from "./segments.ts"

/** The format this code writes; upgrades.ts brings older files there. Format 1 is that of version 0.1. */
export const FORMAT = 2
const OLDEST = 1

const manifest = z.object({ format: z.int().min(1) })

/**
 * The format of the files. Where no manifest says so, files that are there are taken for the oldest: upgrading what is
 * up to date changes nothing.
 */
export function readFormat(paths: HivePaths): { format: number; manifest: "good" | "broken" | "missing" } {
  const unknown = () => (hasGraph(paths) ? OLDEST : FORMAT)
  let text: string
  try {
    text = readFileSync(paths.manifest, "utf8")
  } catch (error) {
    const isMissing = systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR"
    return { format: unknown(), manifest: isMissing ? "missing" : "broken" }
  }
  try {
    return { format: manifest.parse(JSON.parse(text)).format, manifest: "good" }
  } catch {
    return { format: unknown(), manifest: "broken" } // Set aside by the next write.
  }
}

function hasGraph(paths: HivePaths): boolean {
  try {
    return listFolder(paths.graph).some((name) => !name.startsWith(".lock"))
  } catch {
    return true // It cannot be read, so it is there.
  }
}

/** Files of a format to come are read, but never touched. */
export function refuseNewerFormat(paths: HivePaths): void {
  const { format } = readFormat(paths)
  if (format <= FORMAT) return
  throw new HiveError({
    code: "newer_format",
    what: "This .hivemind/ cannot be written by this version.",
    why: `It has format ${format}; this version knows formats up to ${FORMAT}.`,
    use_instead: "Update hivemind-opencode. Reading still works; nothing was changed.",
    evidence: `${paths.manifest}: format ${format}`,
  })
}

export async function writeFormat(paths: HivePaths, format: number, now: number): Promise<void> {
  if (readFormat(paths).manifest === "broken") await setAside(paths.manifest, now)
  await mkdir(dirname(paths.manifest), { recursive: true })
  writeAtomic(paths.manifest, `${JSON.stringify({ format })}\n`)
}
