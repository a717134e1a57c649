import { accessSync, constants, existsSync } from "node:fs"
import type { Hive } from "../../hive/hive.ts"
import { isGitInstalled } from "../../project/git/run-git.ts"
import { byteSize, counted } from "../../shared/amounts.ts"
import { hiveSnapshots } from "../../snapshots/hive-snapshots.ts"
import { timeAgo } from "../../views/look/snapshots.ts"
import { type Check, ok, skipped, trouble, warning } from "./check.ts"

/** Whether calls can be restored here, and how much of them is kept. Takes no snapshot. */
export async function checkSnapshots(hive: Hive): Promise<Check> {
  const { enabled, keep_days, max_mb } = hive.config.snapshots
  const snapshots = hiveSnapshots(hive)
  const { snapshots: count, bytes, oldest } = await snapshots.size()
  const now = hive.source.now()
  const age = oldest === null ? "" : `, the oldest from ${timeAgo(oldest, now)}`
  const kept = count === 0 ? "none yet" : `${counted(count, "snapshot")}, ${byteSize(bytes)}${age}`
  const limits = `kept for ${keep_days} days, up to ${byteSize(max_mb * MB)}`
  if (!(await isGitInstalled()))
    return warning(NAME, "Install git: without it no call can be restored.", "git cannot be run here", kept)
  if (!enabled) return skipped(NAME, `switched off (snapshots.enabled); ${kept}`)
  const dir = snapshots.dir()
  if (existsSync(dir) && !isWritable(dir))
    return trouble(NAME, `Make ${dir} writable: calls are not covered.`, "no snapshot can be written", kept)
  if (bytes > 2 * max_mb * MB)
    return warning(NAME, "They are thinned out every few hours, while an agent works.", `${kept}; ${limits}`)
  const newest = snapshots.list().next().value
  const left = (newest?.after ?? newest?.before)?.leftOut ?? []
  return ok(NAME, `${kept}; ${limits}`, ...(left.length === 0 ? [] : [leftOutText(left)]))
}

/** The largest of what the newest snapshot does not hold. */
function leftOutText(left: readonly { path: string; bytes: number }[]): string {
  const largest = left.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_NAMES)
  const names = largest.map(({ path, bytes }) => `${path} (${byteSize(bytes)})`)
  const more = left.length > names.length ? ", …" : ""
  return `left out, so not restorable: ${counted(left.length, "file or folder", "files or folders")}: ${names.join(", ")}${more}`
}

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false // Another user's, or a read-only disk.
  }
}

const NAME = "snapshots"
const MAX_NAMES = 3
const MB = 1024 * 1024
