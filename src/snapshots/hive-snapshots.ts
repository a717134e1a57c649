import type { Hive } from "../hive/hive.ts"
import { openSnapshots, type SnapshotSettings, type Snapshots } from "./snapshots.ts"
import { DEFAULT_LIMITS } from "./take-snapshot.ts"

/** The parts of a hive that snapshots need, even if `.hivemind/` was just deleted. */
export type SnapshotPlace = Pick<Hive, "dir" | "config" | "source">

/** Returns the snapshots of a hive's work tree. Keeps the object of the first work tree per store, because it caches files. */
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
const MB = 1024 * 1024
