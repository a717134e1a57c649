import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import type { Hive } from "../hive/hive.ts"
import { runGit } from "../project/git/run-git.ts"
import type { StoreSize } from "./prune.ts"
import { openSnapshots, type SnapshotSettings, type Snapshots } from "./snapshots.ts"
import { DEFAULT_LIMITS } from "./take.ts"

/** What snapshots need of a hive. They are there without one, too: `.hivemind/` may just have been deleted. */
export type SnapshotPlace = Pick<Hive, "dir" | "config" | "source">

/** The snapshots of a hive's work tree. The same for each call: what was read of the files is read once. */
export function hiveSnapshots(hive: Hive): Snapshots {
  const { store, dir } = hive
  const known = opened.get(store)
  if (known?.dir === dir) return known.snapshots
  const snapshots = snapshotsIn(hive)
  if (known === undefined) opened.set(store, { dir, snapshots })
  return snapshots
}

export function snapshotsIn({ dir, config, source }: SnapshotPlace): Snapshots {
  return openSnapshots(dir, () => settingsOf(config), source.now)
}

/** How much is kept, for all worktrees of the repository. */
export async function snapshotSize(snapshots: Snapshots): Promise<StoreSize> {
  if (!existsSync(snapshots.dir())) return { bytes: 0, snapshots: 0, oldest: null }
  return snapshots.size()
}

/** Without git no snapshot can be taken or read. */
export async function isGitInstalled(): Promise<boolean> {
  try {
    await runGit(tmpdir(), ["--version"], { isPrivate: true, timeoutMs: GIT_LIMIT_MS })
    return true
  } catch {
    return false // Not in PATH, or it cannot be run.
  }
}

function settingsOf({ snapshots }: Hive["config"]): SnapshotSettings {
  const maxBytes = snapshots.max_mb * MB
  return {
    ...DEFAULT_LIMITS,
    maxFileBytes: snapshots.max_file_mb * MB,
    maxTotalBytes: maxBytes,
    maxIgnoredBytes: snapshots.max_ignored_kb * 1024,
    keepDays: snapshots.keep_days,
    maxBytes,
  }
}

const opened = new WeakMap<Hive["store"], { dir: string; snapshots: Snapshots }>()
const GIT_LIMIT_MS = 10_000
const MB = 1024 * 1024
