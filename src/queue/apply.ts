import type { Caller, Hive } from "../hive/hive.ts"
import { flagMem } from "../knowledge/memory/change.ts"
import { resolveDecision, saveMem } from "../knowledge/memory/save.ts"
import { checked } from "../schemas/checked.ts"
import type { Entry } from "../schemas/entry.ts"
import { type QueuedCommand, queuedCommand, type WaitingCommand } from "../schemas/queued-command.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { derivedId } from "../shared/ids.ts"
import { numberOfId, snapshotId } from "../snapshots/records.ts"
import { acknowledge } from "../watch/count-event.ts"
import { settleConflict } from "../work/conflict/settle.ts"
import {
  planRestore,
  type RestorePlan,
  requireAll,
  restoreInHive,
  snapshotsHolding,
} from "../work/restore/restore.ts"
import { takeBackShift } from "../work/session/session.ts"
import { blockTask, editTask, moveTask, takeTask, unblockTask } from "../work/task/edit-task.ts"

type CommandOf<Name extends QueuedCommand["do"]> = Extract<QueuedCommand, { do: Name }>

/** Runs a command as one transaction. Throws if `mayWrite` is false right before the write: the queue's lock was lost. */
export async function applyCommand(
  hive: Hive,
  { id, from, command }: WaitingCommand,
  mayWrite: () => boolean,
): Promise<{ entry: Entry | null; note: string | undefined }> {
  const given = checked("The command", queuedCommand, command)
  const { hive: watched, written } = watchingWrites(hive, id, mayWrite)
  const caller = { session: null, agent: from, tool: authorTool(id) }
  if (given.do === "restore") {
    const note = await restoreForPerson(watched, caller, given)
    return { entry: written(), note }
  }
  // The cast is safe: `run` has a function for each command, under the command's name.
  await run[given.do](watched, caller, given as never)
  return { entry: written(), note: undefined }
}

export function authorTool(id: string): string {
  return `${TOOL} ${id}`
}

type Run = { [Name in Exclude<QueuedCommand["do"], "restore">]: RunCommand<CommandOf<Name>> }
type RunCommand<Given> = (hive: Hive, caller: Caller, given: Given) => Promise<unknown>

const run: Run = {
  save_mem: (hive, caller, { do: _, ...mem }) => saveMem(hive, caller, mem),
  flag_mem: (hive, caller, { mem, reason }) => flagMem(hive, caller, { mem_id: mem, reason }),
  resolve_decision: resolveDecision,
  edit_task: (hive, caller, given) => editTask(hive, caller, given.task, given),
  block_task: (hive, caller, { task, reason }) => blockTask(hive, caller, task, reason),
  unblock_task: (hive, caller, { task }) => unblockTask(hive, caller, task),
  take_task: (hive, caller, { task }) => takeTask(hive, caller, task),
  move_task: (hive, caller, { task, before }) => moveTask(hive, caller, task, before),
  settle_conflict: settleConflict,
  take_back_shift: (hive, caller, { session }) => takeBackShift(hive, caller, session),
  acknowledge_warning: (hive, caller, { session, signal }) =>
    acknowledge(hive, { ...caller, session, agent: null }, signal),
  undo: (hive, caller, { entry }) => hive.store.undo(entry, { ...caller }),
}

/** Wraps the hive: `written` returns the command's log entry, and new ids derive from the command's id, also in a second run. */
function watchingWrites(hive: Hive, id: string, mayWrite: () => boolean) {
  const { store } = hive
  let entry: Entry | null = null
  let made = 0
  const requirePlace = () => {
    if (!mayWrite())
      throw new HiveError({
        code: "locked",
        what: "This process did not apply the command.",
        why: "It was suspended for so long that another process applies the queue now.",
        use_instead: "There is nothing to do.",
        evidence: `command ${id}`,
      })
  }
  const watched: Hive = {
    ...hive,
    source: { ...hive.source, newId: () => derivedId(TOOL, id, String(made++)) },
    store: {
      ...store,
      async write(by, build) {
        const written = await store.write(by, (tx) => {
          requirePlace()
          return build(tx)
        })
        entry ??= written.entry
        return written
      },
      async append(by, build) {
        requirePlace()
        const written = await store.append(by, build)
        entry ??= written.entry
        return written
      },
      async undo(entryId, by) {
        requirePlace()
        entry = await store.undo(entryId, by)
        return entry
      },
    },
  }
  return { hive: watched, written: () => entry }
}

/** Restores files, and returns a note for the user. If the command runs twice, the second run finds nothing to restore. */
async function restoreForPerson(
  hive: Hive,
  caller: Caller,
  { snapshot, paths, refs = false, force = false }: CommandOf<"restore">,
): Promise<string> {
  const snapshots = snapshotsHolding(hive, numberOfId(snapshot))
  const plan = await planRestore(snapshots, snapshot, { paths: paths ?? null, refs })
  const restored = await restoreInHive(hive, caller, plan, { force, snapshots })
  requireAll(restored)
  if (restored.undo === null) throw nothingToDo(plan, force)
  const kept = force ? 0 : plan.files.conflicts.length
  return [
    `${counted(restored.written.length, "file")} restored.`,
    ...(kept > 0 ? [`Kept ${counted(kept, "file")} that changed later.`] : []),
    `${snapshotId(restored.undo)} undoes it.`,
  ].join(" ")
}

function nothingToDo({ record, files }: RestorePlan, force: boolean): HiveError {
  const [conflict] = force ? [] : files.conflicts
  return new HiveError({
    code: "conflict",
    what: "Nothing was restored.",
    why:
      conflict === undefined
        ? "The files already are as they were before the call."
        : `${conflict.path}: ${conflict.why}.`,
    use_instead: conflict === undefined ? "There is nothing to do." : "Choose to overwrite later changes.",
    evidence: snapshotId(record),
  })
}

export const TOOL = "queue"
