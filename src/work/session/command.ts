import { currentTask } from "../../graph/current-task.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { shorten } from "../../shared/text/clean.ts"

/**
 * Counts a command that was run in the session, and records it as a checkpoint of the current task, if there is one.
 */
export async function recordCommand(
  hive: Hive,
  caller: Caller & { session: string },
  name: string,
  words: string,
): Promise<void> {
  const { store, source } = hive
  const task = currentTask(store.read().state, caller.session)
  const at = new Date(source.now()).toISOString()
  const checkpoint: NewRecordOf<"checkpoint"> | undefined = task && {
    id: source.newId(),
    task_id: task.id,
    session_id: caller.session,
    tool: COMMAND,
    summary: shorten(`/${name} ${words}`, MAX_SUMMARY),
    files: [],
    removed: [],
    command: null,
    did: [],
    ok: true,
    created_at: at,
    updated_at: at,
    stamp: task.stamp,
  }
  await store.append(authorOf(caller), (tx) => {
    tx.count(caller.session, COMMANDS)
    if (checkpoint !== undefined) tx.add("checkpoint", checkpoint)
  })
}

/** The tool of a checkpoint that is a command's. */
export const COMMAND = "command"
export const COMMANDS = "commands"
const MAX_SUMMARY = 200
