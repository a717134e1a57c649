import { stampOf } from "../../shared/stamp.ts"
import { existsSync, renameSync } from "./hive-fs.ts"

/** Moves a file that could not be parsed out of the way, beside itself. It is never overwritten and never deleted. */
export async function setAside(path: string, now: number): Promise<string> {
  const base = `${path}.broken-${stampOf(now)}`
  let aside = base
  for (let n = 2; existsSync(aside); n++) aside = `${base}-${n}`
  renameSync(path, aside)
  return aside
}
