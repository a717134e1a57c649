import { createHash } from "node:crypto"
import { lstatSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { changedInScan, type Scan, scanTree } from "../project/tree/scan.ts"
import type { FileChange } from "./compare.ts"
import { hiveSnapshots } from "./hive-snapshots.ts"
import type { TreeState } from "./state.ts"

/** The work tree at one moment: a snapshot, or a scan of names, sizes and times where none can be taken. */
export type Look = {
  /** Names the content of the files, without ignored ones; undefined where nobody can tell. */
  fingerprint: string | undefined
} & ({ state: TreeState } | { scan: Scan; whyNoSnapshot: string })

/** What has another content than before, whoever changed it. Paths are relative to the project. */
export interface TreeChanges {
  /** Without ignored files, sorted. */
  changed: string[]
  /** Those of them that were not there before, and those that are there no longer. */
  created: ReadonlySet<string>
  gone: ReadonlySet<string>
  /** With ignored files, relative to the top of the work tree; empty for scans. */
  all: ReadonlyMap<string, FileChange>
}

/** Looks at the work tree. A snapshot is taken only where the project uses HiveMind. */
export async function lookAtTree(hive: Hive): Promise<Look> {
  const { enabled } = hive.config.snapshots
  let whyNoSnapshot = enabled ? "HiveMind is not set up in this project" : "`snapshots.enabled` is off"
  if (enabled && hive.store.isThere()) {
    try {
      const state = await hiveSnapshots(hive).take()
      return { state, fingerprint: fingerprintOf(hive, state) }
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      whyNoSnapshot = said.includes("spawn git ENOENT") ? "there is no git program" : said
    }
  }
  const scan = await scanTree(hive.dir)
  return { scan, whyNoSnapshot, fingerprint: fingerprintOfScan(scan) }
}

/** Nothing where a scan and a snapshot cannot be compared. */
export async function changesBetweenLooks(hive: Hive, before: Look, after: Look): Promise<TreeChanges> {
  if ("state" in before && "state" in after) return changesOfStates(hive, before.state, after.state)
  if (!("scan" in before && "scan" in after)) return NOTHING
  const { changed, created } = changedInScan(hive.dir, before.scan, after.scan)
  const gone = changed.filter((path) => !after.scan.files.has(path))
  return { changed, created, gone: new Set(gone), all: new Map() }
}

async function changesOfStates(hive: Hive, before: TreeState, after: TreeState): Promise<TreeChanges> {
  const snapshots = hiveSnapshots(hive)
  const all = await snapshots.changes(before, after)
  const changed: string[] = []
  const created = new Set<string>()
  const gone = new Set<string>()
  for (const change of all.values()) {
    const path = change.isExtra ? undefined : snapshots.projectPath(change.path)
    if (path === undefined) continue
    changed.push(path)
    if (change.before === null) created.add(path)
    if (change.after === null) gone.add(path)
  }
  return { changed: changed.sort(), created, gone, all }
}

/** A file that is too large to be kept counts by its size and time, unless git ignores it. */
function fingerprintOf(hive: Hive, { files, leftOut }: TreeState): string {
  const top = hiveSnapshots(hive).top()
  const large = leftOut
    .filter(({ isIgnored }) => isIgnored !== true)
    .map(({ path, bytes }) => `${path} ${bytes} ${changedAt(join(top, path))}`)
  return large.length === 0 ? `git ${files}` : `git ${files} ${hashOf(large)}`
}

function fingerprintOfScan({ files, stopped }: Scan): string | undefined {
  if (stopped !== null) return undefined
  return `scan ${hashOf([...files.keys()].sort().map((path) => `${path} ${files.get(path)}`))}`
}

function hashOf(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\0")).digest("hex")
}

function changedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

const NOTHING: TreeChanges = { changed: [], created: new Set(), gone: new Set(), all: new Map() }
