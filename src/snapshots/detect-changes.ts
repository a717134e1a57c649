import { createHash } from "node:crypto"
import type { Hive } from "../hive/hive.ts"
import { changedInScan, type Scan, scanTree } from "../project/files/walk-folder.ts"
import { GitFailure } from "../project/git/run-git.ts"
import { findRepository } from "../shared/git-folders.ts"
import { hiveSnapshots } from "./hive-snapshots.ts"
import { leftOutContent, type WorktreeState } from "./worktree-state.ts"

/** The work tree at one moment: a snapshot, or if none can be taken, a scan of file names, sizes and times. */
export type CapturedWorktree = {
  /** Identifies the content of all files that are not ignored; undefined if the scan was stopped. */
  fingerprint: string | undefined
} & ({ state: WorktreeState } | { scan: Scan; whyNoSnapshot: string })

/** The files whose content has changed. Paths are relative to the project. */
export interface WorktreeChanges {
  /** Changed, created and deleted files, without ignored ones, sorted. */
  changed: string[]
  /** `created` and `gone`: the files among `changed` that were created, and those that were deleted. */
  created: ReadonlySet<string>
  gone: ReadonlySet<string>
}

/** Takes a snapshot, or scans the files if that fails. In git this works without `.hivemind/`, which a call may delete. */
export async function captureWorktree(hive: Hive): Promise<CapturedWorktree> {
  const { enabled } = hive.config.snapshots
  let whyNoSnapshot = enabled ? "HiveMind is not set up in this project" : "`snapshots.enabled` is off"
  if (enabled && (hive.store.isThere() || findRepository(hive.dir) !== undefined)) {
    try {
      const state = await hiveSnapshots(hive).take()
      return { state, fingerprint: fingerprintOf(state) }
    } catch (error) {
      if (error instanceof GitFailure && error.code === "ENOENT") whyNoSnapshot = "there is no git program"
      else whyNoSnapshot = error instanceof Error ? error.message : String(error)
    }
  }
  const scan = await scanTree(hive.dir)
  const lines = [...scan.files.keys()].sort().map((path) => `${path} ${scan.files.get(path)}`)
  return { scan, whyNoSnapshot, fingerprint: scan.stopped === null ? `scan ${hashOf(lines)}` : undefined }
}

/** Returns no changes if one side is a scan and the other a snapshot, which cannot be compared. */
export async function detectChanges(hive: Hive, before: CapturedWorktree, after: CapturedWorktree) {
  if ("state" in before && "state" in after) return changesOfStates(hive, before.state, after.state)
  if (!("scan" in before && "scan" in after)) return NO_CHANGES
  const { changed, created } = changedInScan(hive.dir, before.scan, after.scan)
  return { changed, created, gone: new Set(changed.filter((path) => !after.scan.files.has(path))) }
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

/** Files that are too large for a snapshot are identified by size and time, unless git ignores them. */
function fingerprintOf({ files, leftOut }: WorktreeState): string {
  const large = leftOut.filter(({ isIgnored }) => isIgnored !== true)
  const lines = large.map((each) => `${each.path} ${leftOutContent(each)}`)
  return lines.length === 0 ? `git ${files}` : `git ${files} ${hashOf(lines)}`
}

function hashOf(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\0")).digest("hex")
}

export const NO_CHANGES: WorktreeChanges = { changed: [], created: new Set(), gone: new Set() }
