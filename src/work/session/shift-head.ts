import { isOpenTask } from "../../graph/lifecycle.ts"
import { headIdOf, PROJECT_HEAD_ID } from "../../graph/read-head.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import { isSetOf } from "../../schemas/op.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { HiveError } from "../../shared/error.ts"
import { type SessionCaller, writeGraph } from "../write.ts"
import { moveHead } from "./move-head.ts"
import { ensureSession } from "./session.ts"

/** Moves the read-head to the task that the user asked for. The read-head keeps when, so that the model is notified. */
export async function shiftHead(hive: Hive, caller: SessionCaller, taskId: string): Promise<void> {
  await writeGraph(hive, caller, (tx, at, now) => {
    ensureSession(tx, caller, now, null)
    const task = tx.need("task", taskId)
    const plan = tx.need("plan", task.parent_plan_id)
    moveHead(tx, caller.session, { plan, phase: tx.need("phase", task.parent_phase_id), task }, now)
    tx.set("trajectory", headIdOf(caller.session), { intent_shift_at: at })
  })
}

/** Puts a session's read-head back to where it was before the user's words moved it, as long as it stands there. */
export async function takeBackShift(hive: Hive, caller: Caller, session: string): Promise<Trajectory> {
  const { store } = hive
  const headId = headIdOf(session)
  const shiftedAt = store.read().state.trajectory.get(headId)?.intent_shift_at ?? null
  // The entry that moved it was written no earlier than the read-head says.
  const entries = shiftedAt === null ? [] : await store.log({ since: shiftedAt, tool: INTENT_SHIFT })
  const shift = entries.findLast(({ by }) => by.tool === INTENT_SHIFT && by.session === session)
  return writeGraph(hive, caller, (tx, at) => {
    if (shift === undefined || tx.need("trajectory", headId).intent_shift_at !== shiftedAt)
      throw new HiveError({
        code: "not_found",
        what: "There is no shift of this session to take back.",
        why: "Its read-head was not moved by the user's words, or has been moved on since.",
        use_instead: "Start the task that it should be at.",
        evidence: `session ${session}: intent_shift_at`,
      })
    for (const id of [headId, PROJECT_HEAD_ID]) {
      const { was, to } = changeOf(shift, id)
      const head = tx.get("trajectory", id)
      // The project's stays where another session has moved it since.
      if (head === undefined || (id !== headId && !isAt(head, to))) continue
      const tasks = was.active_task_ids ?? head.active_task_ids
      const open = tasks.filter((task) => isOpenTask(tx.get("task", task)))
      tx.set("trajectory", id, { ...was, active_task_ids: open, intent_shift_at: null, updated_at: at })
    }
    return tx.need("trajectory", headId)
  })
}

/** The fields of a read-head that an entry has changed, from the first of its ops to the last. */
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

/** The author of the log entry that moves a read-head. */
export const INTENT_SHIFT = "intent shift"
