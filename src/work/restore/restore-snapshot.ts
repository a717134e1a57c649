import { relative, resolve } from "node:path"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import type { SnapshotRecord } from "../../snapshots/records.ts"
import type { CallNote, Snapshots } from "../../snapshots/snapshots.ts"
import type { WorktreeState } from "../../snapshots/worktree-state.ts"
import { type FilePlan, planFiles, writeFiles } from "./restore-files.ts"
import { planRepository, type RepositoryPlan, restoreRepository } from "./restore-repository.ts"

export interface RestoreOptions {
  /** Relative to the project; null for all that the call has changed. */
  paths?: readonly string[] | null
  refs?: boolean
  /** Write files that have changed since, too. */
  force?: boolean
}

export interface RestorePlan {
  record: SnapshotRecord
  /** The state that the plan was made for. */
  now: WorktreeState
  files: FilePlan
  repository: RepositoryPlan | null
}

export interface Restored {
  /** The snapshot that undoes this restore; null where nothing was to do. */
  undo: SnapshotRecord | null
  written: string[]
  failed: { path: string; why: string }[]
}

/** Plans a restore. Takes a snapshot of the files as they are now, to compare them with. */
export async function planSnapshotRestore(
  snapshots: Snapshots,
  id: string,
  { paths = null, refs = false }: RestoreOptions,
): Promise<RestorePlan> {
  const repository = snapshots.repository()
  const record = snapshots.find(id)
  if (record === undefined)
    throw refused("not_found", `There is no snapshot ${id}.`, "`hivemind restore` lists them.", id)
  if (record.worktree !== repository.worktree)
    throw refused("invalid_argument", `${id} was taken in another worktree.`, "Restore it there.", id)
  const now = await snapshots.take()
  const wanted = paths?.map((path) => snapshots.fromTop(insideOf(snapshots.project, path))) ?? null
  return {
    record,
    now,
    files: await planFiles(repository, record, now, wanted),
    repository: refs ? await planRepository(repository, record, now) : null,
  }
}

/** Carries a plan out. The state before it is a snapshot as well, so that it can be undone. */
export async function restoreSnapshot(
  snapshots: Snapshots,
  plan: RestorePlan,
  caller: CallNote,
  { force = false }: RestoreOptions = {},
): Promise<Restored> {
  const repository = snapshots.repository()
  const { files, repository: refs } = plan
  const planned = force ? [...files.write, ...files.conflicts] : files.write
  const hasRefs = refs !== null && refs.refs.length + refs.stashes.length + refs.staged.length > 0
  if (planned.length === 0 && !hasRefs) return { undo: null, written: [], failed: [] }
  // A person may have taken a while to agree.
  const before = await snapshots.take()
  const since = await snapshots.changes(plan.now, before)
  const record = snapshots.begin(caller, before, false)
  const failed = planned.flatMap(({ path }) =>
    since.has(path) ? [{ path, why: "it has just changed" }] : [],
  )
  const unchanged = planned.filter(({ path }) => !since.has(path))
  failed.push(...(await writeFiles(repository, unchanged)))
  if (refs !== null && hasRefs) {
    const isStagedSame = before.repository?.index.tree === plan.now.repository?.index.tree
    if (!isStagedSame && refs.staged.length > 0) failed.push({ path: "index", why: "it has just changed" })
    failed.push(...(await restoreRepository(repository, isStagedSame ? refs : { ...refs, staged: [] })))
  }
  // A failure here must not hide what was written.
  const last = await snapshots.take().catch(() => undefined)
  const undo = last === undefined ? record : ((await snapshots.end(record, last, false)) ?? null)
  const isFailed = new Set(failed.map(({ path }) => path))
  const written = planned.map(({ path }) => path).filter((path) => !isFailed.has(path))
  return { undo, written, failed }
}

function insideOf(project: string, path: string): string {
  const inside = relative(project, resolve(project, path)).replaceAll("\\", "/")
  if (inside === ".." || inside.startsWith("../"))
    throw refused("invalid_argument", `${path} lies outside.`, "Name files of this project.", path)
  return inside
}

function refused(code: ErrorCode, why: string, use_instead: string, evidence: string): HiveError {
  return new HiveError({ code, what: "Nothing was restored.", why, use_instead, evidence })
}
