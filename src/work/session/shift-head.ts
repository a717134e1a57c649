import { isOpenTask } from "../../graph/lifecycle.ts"
import { headIdOf, PROJECT_HEAD_ID } from "../../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import { isSetOf } from "../../schemas/op.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { moveHead } from "./move-head.ts"
import { ensureSession } from "./start.ts"

/** Moves the read-head to the task that the user asked for. The read-head keeps when, so that the model is told. */
export async function shiftHead(
  hive: Hive,
  caller: Caller & { session: string },
  taskId: string,
): Promise<void> {
  const now = hive.source.now()
  await hive.store.write(authorOf(caller), (tx) => {
    ensureSession(tx, caller, now, null)
    const task = tx.need("task", taskId)
    const plan = tx.need("plan", task.parent_plan_id)
    moveHead(tx, caller.session, { plan, phase: tx.need("phase", task.parent_phase_id), task }, now)
    tx.set("trajectory", headIdOf(caller.session), { intent_shift_at: new Date(now).toISOString() })
  })
}

/** Puts a session's read-head back to where it was before the user's words moved it, as long as it stands there. */
export async function takeBackShift(hive: Hive, caller: Caller, session: string): Promise<Trajectory> {
  const { store } = hive
  const headId = headIdOf(session)
  const shiftedAt = store.read().state.trajectory.get(headId)?.intent_shift_at ?? null
  const shift = shiftedAt === null ? undefined : await lastShift(hive, session, shiftedAt)
  if (shift === undefined) throw nothingToTakeBack(session)
  const at = new Date(hive.source.now()).toISOString()
  const { result } = await store.write(authorOf(caller), (tx) => {
    if (tx.need("trajectory", headId).intent_shift_at !== shiftedAt) throw nothingToTakeBack(session)
    for (const id of [headId, PROJECT_HEAD_ID]) {
      const { was, to } = changeOf(shift, id)
      const head = tx.get("trajectory", id)
      // The project's stays where another session has moved it since.
      if (head === undefined || (id !== headId && !isAt(head, to))) continue
      const open = (was.active_task_ids ?? head.active_task_ids).filter((task) =>
        isOpenTask(tx.get("task", task)),
      )
      tx.set("trajectory", id, { ...was, active_task_ids: open, intent_shift_at: null, updated_at: at })
    }
    return tx.need("trajectory", headId)
  })
  return result
}

/** The entry that moved it, which was written no earlier than the read-head says. */
async function lastShift({ store }: Hive, session: string, since: string): Promise<Entry | undefined> {
  const entries = await store.log({ since, tool: INTENT_SHIFT })
  return entries.findLast(({ by }) => by.tool === INTENT_SHIFT && by.session === session)
}

/** What an entry has changed of a read-head, from the first of its ops to the last. */
function changeOf({ ops }: Entry, id: string): { was: Partial<Trajectory>; to: Partial<Trajectory> } {
  const own = ops.filter((op) => isSetOf(op, "trajectory")).filter((op) => op.id === id)
  const was: Partial<Trajectory> = Object.assign({}, ...own.toReversed().map((op) => op.was))
  const to: Partial<Trajectory> = Object.assign({}, ...own.map((op) => op.to))
  return { was, to }
}

function isAt(head: Trajectory, { active_plan_id, active_phase_id, active_task_ids }: Partial<Trajectory>) {
  const tasks = active_task_ids ?? head.active_task_ids
  return (
    (active_plan_id ?? head.active_plan_id) === head.active_plan_id &&
    (active_phase_id ?? head.active_phase_id) === head.active_phase_id &&
    tasks.join() === head.active_task_ids.join()
  )
}

function nothingToTakeBack(session: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: "There is no shift of this session to take back.",
    why: "Its read-head was not moved by the user's words, or has been moved on since.",
    use_instead: "Start the task that it should be at.",
    evidence: `session ${session}: intent_shift_at`,
  })
}

/** The author of the log entry that moves a read-head. */
export const INTENT_SHIFT = "intent shift"
