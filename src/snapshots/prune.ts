import { lstatSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { listNamesOrEmpty, orUndefined, readTextOrUndefined } from "../shared/lenient-files.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import { DAY_MS, HOUR_MS } from "../shared/time.ts"
import {
  type PrivateRepository,
  readObjects,
  runPrivateGit,
  setHead,
  worktreeId,
} from "./private-repository.ts"
import { type SnapshotRecord, snapshotRecords } from "./records.ts"
import { parseRefs } from "./repository-state.ts"
import { INDEX_NAME, treeOfIndex } from "./tracked-and-untracked-files.ts"
import { type WorktreeState, worktreeState } from "./worktree-state.ts"

export interface Retention {
  keepDays: number
  maxBytes: number
}

/** `bytes` leaves out objects that are hard links to those of the user's repository. */
export async function sizeOfSnapshots({ dir }: PrivateRepository) {
  const records = snapshotRecords(dir)
  const numbers = records.numbers()
  const oldest = records.read(numbers.at(-1) ?? 0)?.at ?? null
  return { bytes: await runInSlices(ownBytes(dir)), snapshots: numbers.length, oldest }
}

/**
 * Removes expired snapshots. If the store is too large, each run thins older ones more: one per turn, one per
 * session, none. Runs at most daily, or every two hours if the store is too large or much was added. True if it ran.
 */
export async function pruneSnapshots(
  repository: PrivateRepository,
  { keepDays, maxBytes }: Retention,
  now: number,
  isMuchNew = false,
): Promise<boolean> {
  const { dir } = repository
  const records = snapshotRecords(dir)
  if (!listNamesOrEmpty(dir).includes("HEAD")) return false
  const last = lastRun(dir)
  if (last.at > now - (isMuchNew || last.wasOverLimit ? GRACE_MS : DAY_MS)) return false
  markRun(dir, now, false)
  remove(olderThan(now - keepDays * DAY_MS))
  removeOld(join(dir, "sessions"), /^[0-9a-f]+\.json/, now - keepDays * DAY_MS)
  removeGoneWorktrees(repository)
  for (const folder of [dir, join(dir, "records")]) removeOld(folder, /^take-|\.new$/, now - HOUR_MS)
  await repack(repository)
  if ((await runInSlices(ownBytes(dir))) <= maxBytes) return true
  markRun(dir, now, true)
  const steps = [
    repeated(({ session, turn }) => `${session} ${turn}`, now - DAY_MS),
    repeated(({ session }) => String(session), now - DAY_MS),
    olderThan(now - DAY_MS),
    olderThan(now - GRACE_MS),
  ]
  steps.some((isRemoved) => remove(isRemoved) > 0)
  return true

  function remove(isRemoved: Rule): number {
    const numbers = records.numbers().reverse()
    const removed = numbers.flatMap((number) => records.read(number) ?? []).filter(isRemoved)
    for (const { number } of removed) records.remove(number)
    return removed.length
  }
}

type Rule = (record: SnapshotRecord) => boolean

function olderThan(time: number): Rule {
  return ({ at }) => Date.parse(at) < time
}

/** Matches all but the oldest snapshot of each turn or session. Must get the oldest record first. */
function repeated(keyOf: (record: SnapshotRecord) => string, before: number): Rule {
  const seen = new Set<string>()
  return (record) => {
    if (Date.parse(record.at) >= before) return false
    const isRepeated = seen.has(keyOf(record))
    seen.add(keyOf(record))
    return isRepeated
  }
}

async function repack(repository: PrivateRepository): Promise<void> {
  const { dir } = repository
  setHead(repository, null)
  const roots = await presentOf(repository, await rootsOf(repository))
  writeFileSync(join(dir, "packed-refs"), roots.map((oid, n) => `${oid} refs/keep/${n}\n`).join(""))
  const packs = join(dir, "objects", "pack")
  const keeps = () => listNamesOrEmpty(packs).filter((name) => name.endsWith(".keep"))
  // If the user's `git gc` has removed a pack, only this store has it, so it may be repacked.
  for (const name of keeps()) {
    const pack = statSync(join(packs, name.replace(/keep$/, "pack")), { throwIfNoEntry: false })
    if (pack === undefined || pack.nlink === 1) rmSync(join(packs, name))
  }
  const grace = `${GRACE_HOURS}.hours.ago`
  // If the user's packs are not linked, `-l` keeps git from copying their content into this store.
  const local = keeps().length > 0 || repository.user === null ? [] : ["-l"]
  await runPrivateGit(repository, ["repack", "-A", "-d", "-q", ...local, `--unpack-unreachable=${grace}`])
  await runPrivateGit(repository, ["prune", `--expire=${grace}`])
}

/** Collects the objects that must stay: snapshots name them, or the next snapshot builds on them. */
async function rootsOf(repository: PrivateRepository): Promise<Set<string>> {
  const { dir } = repository
  const roots = new Set<string>()
  const lists = new Set<string>()
  for (const { files, ignoredAndNested, repository: state } of statesIn(dir)) {
    roots.add(files).add(ignoredAndNested)
    if (state === null) continue
    lists.add(state.refs)
    roots.add(state.refs).add(state.index.tree)
    for (const { commit } of state.stashes) roots.add(commit)
    if (state.head !== null) roots.add(state.head)
  }
  for (const text of await readObjects(repository, [...lists]))
    for (const { oid } of parseRefs(text?.content.toString("utf8") ?? "")) roots.add(oid)
  const scratch = mkdtempSync(join(dir, "take-"))
  for (const name of listNamesOrEmpty(dir).filter((each) => INDEX_NAME.test(each))) {
    try {
      roots.add(await treeOfIndex(repository, join(dir, name), join(scratch, name)))
    } catch {
      rmSync(join(dir, name), { force: true }) // It names lost content; the next snapshot writes a new index.
    }
  }
  rmSync(scratch, { recursive: true, force: true })
  return roots
}

function* statesIn(dir: string): Generator<WorktreeState, void, void> {
  const records = snapshotRecords(dir)
  for (const number of records.numbers()) {
    const record = records.read(number)
    if (record !== undefined) yield record.before
    if (record?.after) yield record.after
  }
  for (const name of listNamesOrEmpty(join(dir, "sessions"))) {
    // Reading fails if the file is being written, or was cut off by a crash.
    const text = readTextOrUndefined(join(dir, "sessions", name))
    const found = orUndefined(() => withState.parse(JSON.parse(text ?? "")))
    if (found !== undefined) yield found.state
  }
}

/** Returns those ids that exist. A shallow or partial clone lacks some objects of its refs. */
async function presentOf(repository: PrivateRepository, ids: ReadonlySet<string>): Promise<string[]> {
  const input = [...ids].map((oid) => `${oid}\n`).join("")
  const output = await runPrivateGit(repository, ["cat-file", "--batch-check=%(objectname)"], { input })
  return output.toString("latin1").match(/^[0-9a-f]+$/gm) ?? []
}

function* ownBytes(dir: string): Pausing<number> {
  let bytes = 0
  for (const folders = [dir]; folders.length > 0; ) {
    const folder = folders.pop() ?? dir
    for (const name of listNamesOrEmpty(folder)) {
      yield
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
      if (stat?.isDirectory()) folders.push(join(folder, name))
      else if (stat?.nlink === 1) bytes += stat.size
    }
  }
  return bytes
}

function removeOld(folder: string, names: RegExp, before: number): void {
  for (const name of listNamesOrEmpty(folder).filter((each) => names.test(each))) {
    const path = join(folder, name)
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before
    if (changed < before) rmSync(path, { recursive: true, force: true })
  }
}

/** Deletes the index and the last state (`current-…`) of worktrees that no longer exist. */
function removeGoneWorktrees({ dir, user }: PrivateRepository): void {
  const linked = user === null ? [] : listNamesOrEmpty(join(user.commonDir, "worktrees"))
  const isThere = new Set(["", ...linked.map((name) => join("worktrees", name))].map(worktreeId))
  for (const folder of [dir, join(dir, "sessions")])
    for (const name of listNamesOrEmpty(folder)) {
      const id = /^(?:index|current)-([0-9a-f]+)(?:\.json)?$/.exec(name)?.[1]
      if (id !== undefined && !isThere.has(id)) rmSync(join(folder, name), { force: true })
    }
}

/** Reads when pruning last ran: the time of the file `pruned`, which is not empty if the store was too large. */
function lastRun(dir: string): { at: number; wasOverLimit: boolean } {
  const stat = statSync(join(dir, "pruned"), { throwIfNoEntry: false })
  return { at: stat?.mtimeMs ?? 0, wasOverLimit: (stat?.size ?? 0) > 0 }
}

function markRun(dir: string, time: number, isOverLimit: boolean): void {
  writeFileSync(join(dir, "pruned"), isOverLimit ? "over the limit" : "")
  utimesSync(join(dir, "pruned"), time / 1000, time / 1000)
}

const withState = z.looseObject({ state: worktreeState })
const GRACE_HOURS = 2
const GRACE_MS = GRACE_HOURS * HOUR_MS
