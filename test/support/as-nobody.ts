import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"

/**
 * Runs a job as a user without rights to some paths, each with the mode it has meanwhile. Root may do everything, so it
 * becomes nobody for that long: what the job loads has to be loaded before.
 */
export async function asNobody<T>(
  root: string,
  modes: Readonly<Record<string, number>>,
  job: () => Promise<T>,
): Promise<T> {
  const isRoot = process.getuid?.() === 0
  for (const [path, mode] of Object.entries(modes)) chmodSync(path, mode)
  if (isRoot) execFileSync("chown", ["-R", String(NOBODY), root])
  try {
    if (isRoot) process.seteuid?.(NOBODY)
    return await job()
  } finally {
    if (isRoot) process.seteuid?.(0)
    for (const path of Object.keys(modes)) chmodSync(path, 0o755)
  }
}

const NOBODY = 65_534
