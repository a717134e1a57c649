import { existsSync } from "node:fs"
import { join } from "node:path"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { fileLook } from "../../project/document/file-look.ts"
import { followMoves, knownMoves } from "../../project/document/follow-moves.ts"
import { type Drift, driftOf } from "../../project/scan/drift.ts"
import { mapFile } from "../../project/scan/map-file.ts"
import { type ScanState, scanProject } from "../../project/scan/scan-project.ts"
import type { ProjectMap } from "../../schemas/project-map.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { stampOf } from "../../shared/stamp.ts"
import { type KeptFacts, keepProjectFacts } from "./keep-facts.ts"

export interface ScanOptions {
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
}

export interface HiveScan {
  map: ProjectMap
  /** Since the last scan; null where there was none. */
  drift: Drift | null
  /** Null where the hive's mems are about another worktree. */
  facts: KeptFacts | null
  /** Documents of plans and anchors that were moved since, and are known at their new place now. */
  followed: number
  /** Whether the map is in `.hivemind/`: a project without a hive has no place for it. */
  isKept: boolean
}

/** Scans the project, keeps the map, and makes mems of what it found. Where nothing has changed, nothing is written. */
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
  // First: where there is no hive yet, the first mem makes it.
  const facts = isOfHive(hive) ? await keepProjectFacts(hive, caller, state.map) : null
  const followed = drift === null || facts === null ? 0 : await followDocuments(hive, caller, drift)
  const isKept =
    (known !== undefined && (await runInSlices(isSame(known, state)))) || (await file.write(state))
  return { map: state.map, drift, facts, followed, isKept }
}

/** A plan's document that was moved is known by its content: nobody has to tell where it went. */
async function followDocuments(
  { store, dir, source }: Hive,
  caller: Caller,
  { moved }: Drift,
): Promise<number> {
  const known = knownMoves(store.read().state, moved)
  if (known.length === 0) return 0
  const now = { at: new Date(source.now()).toISOString(), stamp: stampOf(source.now()) }
  const { result } = await store.write(authorOf(caller), (tx) => followMoves(tx, known, fileLook(dir), now))
  return result
}

/** What has changed since the last scan. Writes nothing. */
export async function lookForDrift(
  hive: Hive,
  options: ScanOptions = {},
): Promise<Pick<HiveScan, "map" | "drift">> {
  const known = await mapFile(hive).read()
  const state = await scanProject(hive.dir, { ...input(hive, options), known })
  return { map: state.map, drift: known === undefined ? null : await runInSlices(driftOf(known, state)) }
}

/** The last scan's map; undefined where there is none. */
export async function knownMap(hive: Hive): Promise<ProjectMap | undefined> {
  return (await mapFile(hive).read())?.map
}

/**
 * A linked worktree has files of its own and the mems of its repository: on another branch, its facts would replace
 * those of the main one, and the other way round with the next scan there.
 */
function isOfHive({ home, dir }: Hive): boolean {
  return home === dir || !existsSync(join(home, ".git"))
}

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
