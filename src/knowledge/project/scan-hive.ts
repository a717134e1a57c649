import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Caller, Hive } from "../../hive/hive.ts"
import { fileStatusLookup } from "../../project/document/file-status.ts"
import { followMoves, knownMoves } from "../../project/document/record-file.ts"
import { type Drift, driftOf } from "../../project/scan/drift.ts"
import { mapFile } from "../../project/scan/map-file.ts"
import { type ScanState, scanProject } from "../../project/scan/scan-project.ts"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { stampOf } from "../../shared/stamp.ts"
import { writeGraph } from "../../work/write.ts"
import { type KeptFacts, keepProjectFacts } from "./facts.ts"

export interface ScanOptions {
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
}

export interface HiveScan {
  map: ProjectMap
  /** Changes since the last scan; null if this is the first. */
  drift: Drift | null
  /** Null in a linked worktree, because the mems describe the main worktree. */
  facts: KeptFacts | null
  /** The number of moved documents that were found at their new path. */
  followed: number
  /** Whether the map was saved. A project without a hive has no place for it. */
  isKept: boolean
}

/** Scans the project, saves the map, and makes mems of its facts. Writes nothing if nothing has changed. */
export async function scanHive(
  hive: Hive,
  caller: Caller,
  how: "full" | "incremental",
  options: ScanOptions = {},
): Promise<HiveScan> {
  const file = mapFile(hive)
  const known = await file.read()
  const state = await scanProject(hive.dir, { ...input(hive, options), known, isFull: how === "full" })
  const drift = known === undefined ? null : await runInSlices(driftOf(known, state))
  // Mems are saved before the map, because the first mem creates the hive.
  const facts = isOfHive(hive) ? await keepProjectFacts(hive, caller, state.map) : null
  const followed = drift === null || facts === null ? 0 : await followDocuments(hive, caller, drift)
  const isKept =
    (known !== undefined && (await runInSlices(isSame(known, state)))) || (await file.write(state))
  return { map: state.map, drift, facts, followed, isKept }
}

async function followDocuments(hive: Hive, caller: Caller, { moved }: Drift): Promise<number> {
  const known = knownMoves(hive.store.read().state, moved)
  if (known.length === 0) return 0
  return writeGraph(hive, caller, (tx, at, now) =>
    followMoves(tx, known, fileStatusLookup(hive.dir), { at, stamp: stampOf(now) }),
  )
}

export async function detectDrift(
  hive: Hive,
  options: ScanOptions = {},
): Promise<Pick<HiveScan, "map" | "drift">> {
  const known = await mapFile(hive).read()
  const state = await scanProject(hive.dir, { ...input(hive, options), known })
  return { map: state.map, drift: known === undefined ? null : await runInSlices(driftOf(known, state)) }
}

export async function knownMap(hive: Hive): Promise<ProjectMap | undefined> {
  return (await mapFile(hive).read())?.map
}

/** False in a linked worktree: facts of its branch would replace those of the main worktree. */
const isOfHive = ({ home, dir }: Hive): boolean => home === dir || !existsSync(join(home, ".git"))

function input({ source }: Hive, { onProgress, signal }: ScanOptions) {
  return { at: new Date(source.now()).toISOString(), onProgress, signal }
}

function* isSame(before: ScanState, after: ScanState): Pausing<boolean> {
  if (before.map !== after.map || before.files.size !== after.files.size) return false
  let count = 0
  for (const [path, { signature }] of after.files) {
    if (++count % PAUSE_EVERY === 0) yield
    if (before.files.get(path)?.signature !== signature) return false
  }
  return true
}

const PAUSE_EVERY = 500
