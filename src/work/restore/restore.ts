import { currentTask } from "../../graph/current-task.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { GitFailure, isGitInstalled } from "../../project/git/run-git.ts"
import type { Task } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { HiveError } from "../../shared/error.ts"
import { findRepository, linkedWorktrees } from "../../shared/git-folders.ts"
import { hiveSnapshots } from "../../snapshots/hive-snapshots.ts"
import { snapshotId } from "../../snapshots/records.ts"
import type { Snapshots } from "../../snapshots/snapshots.ts"
import { adoptUnplanned, unplannedTask } from "../session/unplanned.ts"
import { recordCheckpoint } from "../task/checkpoint.ts"
import {
  planSnapshotRestore,
  type Restored,
  type RestoreOptions,
  type RestorePlan,
  restoreSnapshot,
} from "./restore-snapshot.ts"

/** Plans a restore. Takes a snapshot of the files as they are now, to compare them with. */
export async function planRestore(
  snapshots: Snapshots,
  id: string,
  options: RestoreOptions,
): Promise<RestorePlan> {
  if (!(await isGitInstalled())) throw gitMissing()
  try {
    return await planSnapshotRestore(snapshots, id, options)
  } catch (error) {
    throw error instanceof GitFailure ? gitRefusal(error) : error
  }
}

/** Writes what was planned. Of a file that could not be written the result has the reason. */
export async function carryOut(
  snapshots: Snapshots,
  plan: RestorePlan,
  by: { session: string | null; task: string | null; force: boolean },
): Promise<Restored> {
  const { session, task, force } = by
  const call = { session, turn: null, tool: RESTORE, command: `restore ${snapshotId(plan.record)}`, task }
  try {
    return await restoreSnapshot(snapshots, plan, call, { force })
  } catch (error) {
    throw error instanceof GitFailure ? gitRefusal(error) : error
  }
}

/** Restores, and notes it in the log: for the task at hand, else for the one that the snapshot was taken in. */
export async function restoreInHive(
  hive: Hive,
  caller: Caller,
  plan: RestorePlan,
  { force = false, snapshots = hiveSnapshots(hive) } = {},
): Promise<Restored> {
  const task = taskFor(hive, caller, plan)
  const by = { session: caller.session, task: task?.id ?? null, force }
  const restored = await carryOut(snapshots, plan, by)
  if (restored.undo !== null) await noteRestore(hive, caller, { plan, restored, task, snapshots })
  return restored
}

/** Throws where some files could not be written, for callers that can only tell success from failure. */
export function requireAll({ written, failed }: Restored): void {
  const [first] = failed
  if (first === undefined) return
  throw new HiveError({
    code: "not_writable",
    what: `${counted(failed.length, "file")} could not be restored, ${written.length} could.`,
    why: `${first.path}: ${first.why}`,
    use_instead: "Clear what is in the way, then restore the same snapshot again.",
    evidence: failed.map(({ path }) => path).join(", "),
  })
}

/**
 * The snapshots of the worktree that a snapshot was taken in. All worktrees of a repository share a queue, so the process
 * that applies a command may stand in another one.
 */
export function snapshotsHolding(hive: Hive, number: number | undefined): Snapshots {
  const repository = findRepository(hive.dir)
  const folders = repository?.folders ?? null
  const others =
    repository === undefined || folders === null
      ? []
      : [repository.main, ...linkedWorktrees(folders.commonDir)]
  for (const dir of [hive.dir, ...others]) {
    const snapshots = hiveSnapshots({ ...hive, dir })
    for (const record of snapshots.list()) if (record.number === number) return snapshots
  }
  return hiveSnapshots(hive)
}

function taskFor(hive: Hive, { session }: Caller, { record }: RestorePlan): Task | undefined {
  const { state } = hive.store.read()
  if (session !== null) return currentTask(state, session) ?? unplannedTask(state, session)
  const taken = record.task === null ? undefined : state.task.get(record.task)
  return taken ?? (record.session === null ? undefined : unplannedTask(state, record.session))
}

async function noteRestore(
  hive: Hive,
  caller: Caller,
  done: { plan: RestorePlan; restored: Restored; task: Task | undefined; snapshots: Snapshots },
): Promise<void> {
  const { plan, restored, snapshots } = done
  const session = caller.session ?? plan.record.session
  const task =
    done.task ??
    (session === null ? undefined : (await adoptUnplanned(hive, { ...caller, session }, RESTORE)).task)
  // No session is known for it, so there is no task to note it for. The list of snapshots has it.
  if (task === undefined) return
  const undo = restored.undo === null ? "" : `; ${snapshotId(restored.undo)} undoes it`
  await recordCheckpoint(hive, caller, task, {
    tool: RESTORE,
    summary: `restored ${counted(restored.written.length, "file")} from ${snapshotId(plan.record)}${undo}`,
    files: restored.written.flatMap((path) => snapshots.projectPath(path) ?? []),
    command: null,
    ok: restored.failed.length === 0,
  })
}

function gitMissing(): HiveError {
  return new HiveError({
    code: "git_failed",
    what: "Nothing was restored.",
    why: "Snapshots need git, and it is not installed here.",
    use_instead: "Install git, then try again.",
    evidence: "git --version",
  })
}

function gitRefusal(error: GitFailure): HiveError {
  return new HiveError(
    {
      code: "git_failed",
      what: "Nothing was restored.",
      why: error.message,
      use_instead: "`hivemind doctor` says what is wrong with git here.",
      evidence: error.said.trim().slice(0, 500),
    },
    { cause: error },
  )
}

const RESTORE = "restore"
