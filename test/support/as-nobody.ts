import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"

/**
 * Runs a job while these paths have other modes. Root would ignore them, so it becomes nobody meanwhile: load modules before.
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
