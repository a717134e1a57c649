import type { Problem } from "../graph/problem.ts"
import { writeAtomic } from "./files/atomic-write.ts"
import { setAside } from "./files/broken-file.ts"
import { existsSync, readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { isOfOlderTool } from "./older-tool.ts"

interface Orphan extends Problem {
  quarantined_at: string
  /** Set once the trouble is over; the text stays, in case it was the only copy. */
  resolved_at: string | null
}

/** Writes the quarantine down: what is in it now, and what once was. */
export async function saveOrphans(
  paths: HivePaths,
  problems: readonly Problem[],
  now: number,
): Promise<void> {
  // An older tool's quarantine is for the migration to read.
  if (existsSync(paths.orphans) && isOfOlderTool(paths.root, paths.orphans)) return
  const at = new Date(now).toISOString()
  const { orphans: known, broken } = readOrphans(paths)
  const current = problems.filter((problem) => problem.level === "quarantined")
  const keys = new Set(current.map(keyOf))
  const kept = known.map((orphan) => {
    if (keys.has(keyOf(orphan))) return { ...orphan, resolved_at: null }
    return { ...orphan, resolved_at: orphan.resolved_at ?? at }
  })
  const before = new Set(known.map(keyOf))
  const added = current
    .filter((problem) => !before.has(keyOf(problem)))
    .map((problem) => ({ ...problem, quarantined_at: at, resolved_at: null }))
  const next = [...kept, ...added]
  if (broken) await setAside(paths.orphans, now)
  else if (added.length === 0 && JSON.stringify(kept) === JSON.stringify(known)) return
  if (next.length > 0) writeAtomic(paths.orphans, `${JSON.stringify({ orphans: next }, null, 2)}\n`)
}

function readOrphans(paths: HivePaths): { orphans: Orphan[]; broken: boolean } {
  if (!existsSync(paths.orphans)) return { orphans: [], broken: false }
  try {
    const { orphans }: { orphans?: unknown } = JSON.parse(readFileSync(paths.orphans, "utf8"))
    if (Array.isArray(orphans) && orphans.every(isOrphan)) return { orphans, broken: false }
  } catch {
    // Not JSON: set aside by the caller, never overwritten.
  }
  return { orphans: [], broken: true }
}

function isOrphan(value: unknown): value is Orphan {
  return typeof value === "object" && value !== null && "code" in value && "quarantined_at" in value
}

function keyOf({ code, file, id, raw }: Problem): string {
  return JSON.stringify([code, file, id, raw])
}
