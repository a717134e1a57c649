import type { Source } from "../shared/ids.ts"
import { createAtomic } from "./files/atomic-write.ts"
import { existsSync, readFileSync, rmSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"

/** The name under which this clone writes: its entries carry it, so that those of several clones can be put together. */
export function cloneName(paths: HivePaths, source: Source): string {
  if (!existsSync(paths.clone))
    createAtomic(paths.clone, `${JSON.stringify({ name: source.newId().slice(0, 8) })}\n`)
  // Damaged or out of reach: a name for this process only will do.
  return readCloneName(paths) ?? source.newId().slice(0, 8)
}

/** The name that was given to it; undefined where there is none that can be read. */
export function readCloneName(paths: HivePaths): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(paths.clone, "utf8")) as { name?: unknown }
    return typeof name === "string" && /^\w{1,40}$/.test(name) ? name : undefined
  } catch {
    return undefined // Nothing was written yet, or it is damaged.
  }
}

/** Another one goes by the name that it had. */
export function renewCloneName(paths: HivePaths, source: Source): string {
  rmSync(paths.clone, { force: true })
  return cloneName(paths, source)
}
