import { relative, resolve } from "node:path"
import { firstSession } from "../../graph/conversation.ts"
import { currentTask } from "../../graph/current-task.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { GitFailure, isGitInstalled } from "../../project/git/run-git.ts"
import type { Task } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { findRepository, linkedWorktrees } from "../../shared/git-folders.ts"
import { hiveSnapshots } from "../../snapshots/hive-snapshots.ts"
import { type SnapshotRecord, snapshotId } from "../../snapshots/records.ts"
import type { Snapshots } from "../../snapshots/snapshots.ts"
import type { WorktreeState } from "../../snapshots/worktree-state.ts"
import { adoptUnplanned, unplannedTask } from "../session/unplanned.ts"
import { recordCheckpoint } from "../task/checkpoint.ts"
import { type FilePlan, JUST_CHANGED, planFiles, signaturesOf, writeFiles } from "./restore-files.ts"
import { planRepository, type RepositoryPlan, restoreRepository } from "./restore-repository.ts"

export interface RestoreOptions {
  paths?: readonly string[] | null
  refs?: boolean
}

export interface RestorePlan {
  record: SnapshotRecord
  now: WorktreeState
  files: FilePlan
  repository: RepositoryPlan | null
}

export interface Restored {
  undo: SnapshotRecord | null
  written: string[]
  failed: { path: string; why: string }[]
}

type RestoredBy = { session: string | null; task: string | null; force?: boolean }

export async function planRestore(
  snapshots: Snapshots,
  id: string,
  { paths = null, refs = false }: RestoreOptions,
): Promise<RestorePlan> {
  if (!(await isGitInstalled()))
    throw refusal("git_failed", GIT_MISSING, "Install git, then try again.", "git --version")
  const repository = snapshots.repository()
  const record = snapshots.find(id)
  if (record === undefined)
    throw refusal("not_found", `There is no snapshot ${id}.`, "`hivemind restore` lists the snapshots.", id)
  if (record.worktree !== repository.worktree)
    throw refusal(
      "invalid_argument",
      `${id} was taken in another worktree.`,
      "Run the restore in that worktree.",
      id,
    )
  return withGitRefusal(async () => {
    const now = await snapshots.take()
    const wanted = paths?.map((path) => snapshots.fromTop(insideOf(snapshots.project, path))) ?? null
    const files = await planFiles(repository, record, now, wanted)
    return { record, now, files, repository: refs ? await planRepository(repository, record, now) : null }
  })
}

function insideOf(project: string, path: string): string {
  const inside = relative(project, resolve(project, path)).replaceAll("\\", "/")
  if (inside === ".." || inside.startsWith("../"))
    throw refusal("invalid_argument", `${path} lies outside the project.`, "Name a project file.", path)
  return inside
}

export function carryOut(snapshots: Snapshots, plan: RestorePlan, by: RestoredBy): Promise<Restored> {
  return withGitRefusal(async () => {
    const repository = snapshots.repository()
    const { files, repository: refs, record, now } = plan
    const planned = by.force === true ? [...files.write, ...files.conflicts] : files.write
    const hasRefs = refs !== null && refs.refs.length + refs.stashes.length + refs.staged.length > 0
    if (planned.length === 0 && !hasRefs) return { undo: null, written: [], failed: [] }
    const signatures = signaturesOf(repository.top, planned)
    // A new snapshot, because files may have changed until the user agreed.
    const before = await snapshots.take()
    const since = await snapshots.changes(now, before)
    const { session, task } = by
    const command = `restore ${snapshotId(record)}`
    const begun = snapshots.begin({ session, turn: null, tool: RESTORE, command, task }, before, false)
    const changed = planned.filter(({ path }) => since.has(path))
    const failed = changed.map(({ path }) => ({ path, why: JUST_CHANGED }))
    const unchanged = planned.filter(({ path }) => !since.has(path))
    failed.push(...(await writeFiles(repository, unchanged, signatures)))
    if (refs !== null && hasRefs) {
      const isStagedSame = before.repository?.index.tree === now.repository?.index.tree
      if (!isStagedSame && refs.staged.length > 0) failed.push({ path: "index", why: JUST_CHANGED })
      failed.push(...(await restoreRepository(repository, isStagedSame ? refs : { ...refs, staged: [] })))
    }
    const last = await snapshots.take().catch(() => undefined)
    const undo = last === undefined ? begun : ((await snapshots.end(begun, last, false)) ?? null)
    const isFailed = new Set(failed.map(({ path }) => path))
    const written = planned.map(({ path }) => path).filter((path) => !isFailed.has(path))
    return { undo, written, failed }
  })
}

/** Carries out a plan and records a checkpoint for the caller's task or, if no session calls, for the snapshot's task. */
export async function restoreInHive(
  hive: Hive,
  caller: Caller,
  plan: RestorePlan,
  { force = false, snapshots = hiveSnapshots(hive) } = {},
): Promise<Restored> {
  const known = taskFor(hive, caller, plan)
  const by = { session: caller.session, task: known?.id ?? null, force }
  const restored = await carryOut(snapshots, plan, by)
  const { undo, written, failed } = restored
  const session = caller.session ?? plan.record.session
  // Without a session there is no task for a checkpoint; the list of snapshots still has the restore.
  if (undo === null || (known === undefined && session === null)) return restored
  const task = known ?? (await adoptUnplanned(hive, { ...caller, session: session ?? "" }, RESTORE)).task
  await recordCheckpoint(hive, caller, task, {
    tool: RESTORE,
    summary: `restored ${counted(written.length, "file")} from ${snapshotId(plan.record)}; ${snapshotId(undo)} undoes it`,
    files: written.flatMap((path) => snapshots.projectPath(path) ?? []),
    command: null,
    ok: failed.length === 0,
  })
  return restored
}

function taskFor(hive: Hive, { session }: Caller, { record }: RestorePlan): Task | undefined {
  const { state } = hive.store.read()
  if (session !== null) return currentTask(state, session) ?? unplannedTask(state, session)
  const taken = record.task === null ? undefined : state.task.get(record.task)
  return taken ?? (record.session === null ? undefined : unplannedTask(state, record.session))
}

export function requireAll({ written, failed }: Restored): void {
  const [first] = failed
  if (first === undefined) return
  throw new HiveError({
    code: "not_writable",
    what: `${counted(failed.length, "file")} could not be restored. Restored: ${written.length}.`,
    why: `${first.path}: ${first.why}`,
    use_instead: "Remove the obstacle, then restore the same snapshot again.",
    evidence: failed.map(({ path }) => path).join(", "),
  })
}

/** Finds the worktree that has a snapshot: a queued restore may be applied by a process in another worktree. */
export function snapshotsHolding(hive: Hive, number: number | undefined): Snapshots {
  const repository = findRepository(hive.dir)
  const commonDir = repository?.folders?.commonDir
  const others = commonDir === undefined ? [] : [repository?.main ?? hive.dir, ...linkedWorktrees(commonDir)]
  for (const dir of [hive.dir, ...others]) {
    const snapshots = hiveSnapshots({ ...hive, dir })
    for (const record of snapshots.list()) if (record.number === number) return snapshots
  }
  return hiveSnapshots(hive)
}

/** Whether a snapshot is of this conversation: of the session, of one that it continues, or of a subagent. */
export function isOwnSnapshot(state: GraphState, session: string, { session: taken }: SnapshotRecord) {
  if (taken === null) return false
  const find = (host: string) => sessionOf(state, host)
  return firstSession(find, taken) === firstSession(find, session)
}

/** A model may restore only what its own conversation alone has changed. */
export async function requireOwnChange(
  state: GraphState,
  session: string,
  plan: RestorePlan,
  snapshots: Snapshots,
): Promise<void> {
  const why = await whyNotOwn(state, session, plan, snapshots)
  if (why === undefined) return
  const id = snapshotId(plan.record)
  throw new HiveError({
    code: "protected",
    what: `${id} was not restored.`,
    why,
    use_instead: `Ask the user to run \`hivemind restore ${id}\`.`,
    evidence: id,
  })
}

async function whyNotOwn(
  state: GraphState,
  session: string,
  { record, now, files }: RestorePlan,
  snapshots: Snapshots,
): Promise<string | undefined> {
  if (!isOwnSnapshot(state, session, record)) return "The snapshot was not taken for a call of this session."
  if (record.isOverlapped) return "Other calls ran at the same time, so the changes may be theirs."
  if (record.after === null) return "The end of the call was not recorded, so the changes may not be its own."
  const [conflict] = files.conflicts
  if (conflict !== undefined) return `${conflict.path}: ${conflict.why}.`
  const [called, since] = await Promise.all([
    snapshots.changes(record.before, record.after),
    snapshots.changes(record.after, now),
  ])
  const foreign = files.write.find(({ path }) => !called.has(path) || since.has(path))
  return foreign === undefined ? undefined : `${foreign.path} was changed by another call or a person.`
}

async function withGitRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    const advice = "`hivemind doctor` shows the problem with git here."
    throw refusal("git_failed", error.message, advice, error.said.trim().slice(0, 500), error)
  }
}

function refusal(code: ErrorCode, why: string, use_instead: string, evidence: string, cause?: Error) {
  return new HiveError({ code, what: "Nothing was restored.", why, use_instead, evidence }, { cause })
}

const RESTORE = "restore"
const GIT_MISSING = "Snapshots need git, and it is not installed here."
