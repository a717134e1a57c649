import type { Problem } from "../graph/problem.ts"
import { existsSync } from "./files/hive-fs.ts"
import { readJson } from "./files/json-lines.ts"
import type { HivePaths } from "./files/layout.ts"
import { setAside } from "./files/text-file.ts"
import { writeAtomic } from "./files/write-file.ts"
import { isOfOlderTool } from "./older-tool.ts"

interface Orphan extends Problem {
  quarantined_at: string
  /** When the problem was solved; null before. The text stays here, as it may be the only copy of the record. */
  resolved_at: string | null
}

/** Writes all records that are quarantined, or were earlier, to `graph/orphans.json`. */
export function saveOrphans(paths: HivePaths, problems: readonly Problem[], now: number): void {
  // An older tool's file stays, because the migration reads it.
  if (existsSync(paths.orphans) && isOfOlderTool(paths.root, paths.orphans)) return
  const at = new Date(now).toISOString()
  const saved = readOrphans(paths)
  const known = saved ?? []
  const current = problems.filter((problem) => problem.level === "quarantined")
  const keys = new Set(current.map(keyOf))
  const kept = known.map((orphan) => {
    const resolved_at = keys.has(keyOf(orphan)) ? null : (orphan.resolved_at ?? at)
    return { ...orphan, resolved_at }
  })
  const before = new Set(known.map(keyOf))
  const added = current
    .filter((problem) => !before.has(keyOf(problem)))
    .map((problem) => ({ ...problem, quarantined_at: at, resolved_at: null }))
  const next = [...kept, ...added]
  if (saved === undefined) setAside(paths.orphans, now)
  else if (added.length === 0 && JSON.stringify(kept) === JSON.stringify(known)) return
  if (next.length > 0) writeAtomic(paths.orphans, `${JSON.stringify({ orphans: next }, null, 2)}\n`)
}

function readOrphans(paths: HivePaths): Orphan[] | undefined {
  if (!existsSync(paths.orphans)) return []
  const orphans = (readJson(paths.orphans) as { orphans?: unknown } | null | undefined)?.orphans
  const isOrphan = (value: unknown): value is Orphan =>
    typeof value === "object" && value !== null && "code" in value && "quarantined_at" in value
  return Array.isArray(orphans) && orphans.every(isOrphan) ? orphans : undefined
}

function keyOf({ code, file, id, raw }: Problem): string {
  return JSON.stringify([code, file, id, raw])
}
