import { existsSync, readFileSync } from "node:fs"
import type { Source } from "../shared/ids.ts"
import { createAtomic } from "./files/atomic-write.ts"
import type { HivePaths } from "./files/layout.ts"

/** The name under which this clone writes: its entries carry it, so that those of several clones can be put together. */
export function cloneName(paths: HivePaths, source: Source): string {
  if (!existsSync(paths.clone))
    createAtomic(paths.clone, `${JSON.stringify({ name: source.newId().slice(0, 8) })}\n`)
  try {
    const { name } = JSON.parse(readFileSync(paths.clone, "utf8")) as { name?: unknown }
    if (typeof name === "string" && /^\w{1,40}$/.test(name)) return name
  } catch {
    // Damaged or out of reach: a name for this process only will do.
  }
  return source.newId().slice(0, 8)
}
