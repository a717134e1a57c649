import type { Phase } from "../schemas/plan.ts"
import type { NewRecordOf } from "../schemas/records.ts"
import { madeNow } from "./made.ts"
import type { Transaction } from "./transaction.ts"

type Given = Pick<NewRecordOf<"task">, "id" | "title" | "expected_output"> & Partial<NewRecordOf<"task">>

/** A task of a phase that is made now: planned, free and without limits, but for what is given. */
export function newTask(tx: Transaction, now: number, phase: Phase, given: Given): NewRecordOf<"task"> {
  const made = madeNow(tx, "task", now)
  return {
    parent_plan_id: phase.parent_plan_id,
    parent_phase_id: phase.id,
    ...freeTask(),
    // One that is made to be worked on at once begins as it is made.
    started_at: given.status === "active" ? made.created_at : null,
    ...made,
    ...given,
  }
}

/** What a task has of which nobody has said anything. */
export function freeTask() {
  return {
    parent_task_id: null,
    type: "main",
    purpose: "work",
    status: "planned",
    depends_on: [],
    temporal_gate: null,
    delegated_by: null,
    assigned_to: null,
    assigned_session_id: null,
    allowed_tools: null,
    file_locks: [],
    verify: null,
    decisions: [],
    ahead: false,
    file: null,
    line: null,
    evidence: null,
    reason: null,
    started_at: null,
    completed_at: null,
  } satisfies Partial<NewRecordOf<"task">>
}
