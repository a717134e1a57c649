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

export interface Applied {
  /** Null if nothing had to be written to the log. */
  entry: Entry | null
  /** For the person who gave the command. */
  note: string | undefined
}

/** Applies a command in one transaction, unless `mayWrite` says right before the write that the drain lock was lost. */
export async function applyCommand(
  hive: Hive,
  { id, from, command }: WaitingCommand,
  mayWrite: () => boolean,
): Promise<Applied> {
  const given = checked("The command", queuedCommand, command)
  const { hive: watched, written } = watchingWrites(hive, id, mayWrite)
  const caller = { session: null, agent: from, tool: authorTool(id) }
  if (given.do === "restore") {
    const note = await restoreForPerson(watched, caller, given)
    return { entry: written(), note }
  }
  await run(watched, caller, given)
  return { entry: written(), note: undefined }
}

/** The tool of the entry that a command becomes. */
export function authorTool(id: string): string {
  return `${TOOL} ${id}`
}

async function run(
  hive: Hive,
  caller: Caller,
  given: Exclude<QueuedCommand, { do: "restore" }>,
): Promise<unknown> {
  switch (given.do) {
    case "save_mem": {
      const { do: _, ...mem } = given
      return saveMem(hive, caller, mem)
    }
    case "flag_mem":
      return flagMem(hive, caller, { mem_id: given.mem, reason: given.reason })
    case "resolve_decision":
      return resolveDecision(hive, caller, given)
    case "edit_task":
      return editTask(hive, caller, given.task, given)
    case "block_task":
      return blockTask(hive, caller, given.task, given.reason)
    case "unblock_task":
      return unblockTask(hive, caller, given.task)
    case "take_task":
      return takeTask(hive, caller, given.task)
    case "move_task":
      return moveTask(hive, caller, given.task, given.before)
    case "settle_conflict":
      return settleConflict(hive, caller, given)
    case "take_back_shift":
      return takeBackShift(hive, caller, given.session)
    case "acknowledge_warning":
      return acknowledge(hive, { ...caller, session: given.session, agent: null }, given.signal)
    case "undo":
      return hive.store.undo(given.entry, { ...caller })
  }
}

/**
 * The hive with a store that remembers the entry of a write, and with ids that are derived from the command, so that a
 * record cannot be created twice.
 */
function watchingWrites(hive: Hive, id: string, mayWrite: () => boolean) {
  const { store } = hive
  let entry: Entry | null = null
  let made = 0
  const requirePlace = () => {
    if (!mayWrite()) throw placeLost(id)
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

function placeLost(id: string): HiveError {
  return new HiveError({
    code: "locked",
    what: "The command was not applied here.",
    why: "This process was stopped for so long that another one applies the queue now.",
    use_instead: "Nothing has to be done.",
    evidence: `command ${id}`,
  })
}

/** Restores files for a person; returns a note for them. Idempotent. */
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
    ...(kept > 0 ? [`${counted(kept, "file")} that changed since kept.`] : []),
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
        ? "The files that the call changed are as they were before."
        : `${conflict.path}: ${conflict.why}.`,
    use_instead: conflict === undefined ? "Nothing has to be done." : "Choose to overwrite later changes.",
    evidence: snapshotId(record),
  })
}

export const TOOL = "queue"
