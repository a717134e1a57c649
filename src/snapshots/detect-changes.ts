import { createHash } from "node:crypto"
import type { Hive } from "../hive/hive.ts"
import { changedInScan, type Scan, scanTree } from "../project/files/walk-folder.ts"
import { GitFailure } from "../project/git/run-git.ts"
import { findRepository } from "../shared/git-folders.ts"
import { hiveSnapshots } from "./hive-snapshots.ts"
import { leftOutContent, type WorktreeState } from "./worktree-state.ts"

/** The work tree at one moment: a snapshot, or a scan of names, sizes and times where none can be taken. */
export type CapturedWorktree = {
  /** Names the content of the files, without ignored ones; undefined where the scan was not completed. */
  fingerprint: string | undefined
} & ({ state: WorktreeState } | { scan: Scan; whyNoSnapshot: string })

/** The files whose content has changed. Paths are relative to the project. */
export interface WorktreeChanges {
  /** Without ignored files, sorted. */
  changed: string[]
  /** Those of them that were not there before, and those that are there no longer. */
  created: ReadonlySet<string>
  gone: ReadonlySet<string>
}

/**
 * Takes a snapshot, or scans the files where none can be taken. In a git repository there are snapshots also without a hive:
 * `.hivemind/` may just have been deleted, or a teammate has set HiveMind up and nothing was written yet.
 */
export async function captureWorktree(hive: Hive): Promise<CapturedWorktree> {
  const { enabled } = hive.config.snapshots
  let whyNoSnapshot = enabled ? "HiveMind is not set up in this project" : "`snapshots.enabled` is off"
  if (enabled && (hive.store.isThere() || findRepository(hive.dir) !== undefined)) {
    try {
      const state = await hiveSnapshots(hive).take()
      return { state, fingerprint: fingerprintOf(state) }
    } catch (error) {
      const isMissing = error instanceof GitFailure && error.code === "ENOENT"
      if (isMissing) whyNoSnapshot = "there is no git program"
      else whyNoSnapshot = error instanceof Error ? error.message : String(error)
    }
  }
  const scan = await scanTree(hive.dir)
  return { scan, whyNoSnapshot, fingerprint: fingerprintOfScan(scan) }
}

/** Nothing where a scan and a snapshot cannot be compared. */
export async function detectChanges(
  hive: Hive,
  before: CapturedWorktree,
  after: CapturedWorktree,
): Promise<WorktreeChanges> {
  if ("state" in before && "state" in after) return changesOfStates(hive, before.state, after.state)
  if (!("scan" in before && "scan" in after)) return NO_CHANGES
  const { changed, created } = changedInScan(hive.dir, before.scan, after.scan)
  const gone = changed.filter((path) => !after.scan.files.has(path))
  return { changed, created, gone: new Set(gone) }
}

async function changesOfStates(hive: Hive, before: WorktreeState, after: WorktreeState) {
  const snapshots = hiveSnapshots(hive)
  const changed: string[] = []
  const created = new Set<string>()
  const gone = new Set<string>()
  for (const change of (await snapshots.changes(before, after)).values()) {
    const path = change.isIgnoredOrNested ? undefined : snapshots.projectPath(change.path)
    if (path === undefined) continue
    changed.push(path)
    if (change.before === null) created.add(path)
    if (change.after === null) gone.add(path)
  }
  return { changed: changed.sort(), created, gone }
}

/** A file that is too large to be kept counts by its size and time, unless git ignores it. */
function fingerprintOf({ files, leftOut }: WorktreeState): string {
  const large = leftOut.filter(({ isIgnored }) => isIgnored !== true)
  const lines = large.map((each) => `${each.path} ${leftOutContent(each)}`)
  return lines.length === 0 ? `git ${files}` : `git ${files} ${hashOf(lines)}`
}

function fingerprintOfScan({ files, stopped }: Scan): string | undefined {
  if (stopped !== null) return undefined
  return `scan ${hashOf([...files.keys()].sort().map((path) => `${path} ${files.get(path)}`))}`
}

function hashOf(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\0")).digest("hex")
}

export const NO_CHANGES: WorktreeChanges = { changed: [], created: new Set(), gone: new Set() }
