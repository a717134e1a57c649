import type { Phase } from "../schemas/plan.ts"
import type { NewRecordOf } from "../schemas/records.ts"
import { freeStamp } from "../shared/stamp.ts"
import { isEmpty } from "./record-map.ts"
import type { Transaction } from "./transaction.ts"

/** The times and the stamp of a record made now; no two of a kind have the same stamp. */
export function madeNow(tx: Transaction, kind: "plan" | "phase" | "task", now: number) {
  const at = new Date(now).toISOString()
  return { created_at: at, updated_at: at, stamp: newStamp(tx, kind, now) }
}

/** The stamp of now, or the next one that no other record of the kind has. */
export function newStamp(tx: Transaction, kind: "session" | "plan" | "phase" | "task", now: number): string {
  return freeStamp(now, (stamp) => !isEmpty(tx.by(kind, "stamp", stamp)))
}

type GivenPlan = Pick<NewRecordOf<"plan">, "id" | "title"> & Partial<NewRecordOf<"plan">>

/** A plan that is made now: active and without conditions, apart from the given fields. */
export function newPlan(tx: Transaction, now: number, given: GivenPlan): NewRecordOf<"plan"> {
  return {
    ...freePlan(),
    ...madeNow(tx, "plan", now),
    ...given,
  }
}

/** The defaults of a plan. */
export function freePlan() {
  return {
    purpose: "work",
    acceptance: [],
    sot_document_path: null,
    depends_on: [],
    owned_by: null,
    status: "active",
    reason: null,
    completed_at: null,
    summary: null,
  } satisfies Partial<NewRecordOf<"plan">>
}

type GivenTask = Pick<NewRecordOf<"task">, "id" | "title" | "expected_output"> & Partial<NewRecordOf<"task">>

/** A task of a phase that is made now: planned, free and without limits, apart from the given fields. */
export function newTask(tx: Transaction, now: number, phase: Phase, given: GivenTask): NewRecordOf<"task"> {
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

/** The defaults of a task. */
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
