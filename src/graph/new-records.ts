import type { Phase } from "../schemas/plan.ts"
import type { NewRecordOf } from "../schemas/records.ts"
import { freeStamp } from "../shared/stamp.ts"
import { isEmpty } from "./record-map.ts"
import type { Transaction } from "./transaction.ts"

export function madeNow(tx: Transaction, kind: "plan" | "phase" | "task", now: number) {
  const at = new Date(now).toISOString()
  return { created_at: at, updated_at: at, stamp: newStamp(tx, kind, now) }
}

export function newStamp(tx: Transaction, kind: "session" | "plan" | "phase" | "task", now: number): string {
  return freeStamp(now, (stamp) => !isEmpty(tx.by(kind, "stamp", stamp)))
}

type GivenPlan = Pick<NewRecordOf<"plan">, "id" | "title"> & Partial<NewRecordOf<"plan">>

export function newPlan(tx: Transaction, now: number, given: GivenPlan): NewRecordOf<"plan"> {
  return { ...freePlan(), ...madeNow(tx, "plan", now), ...given }
}

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

export function newTask(tx: Transaction, now: number, phase: Phase, given: GivenTask): NewRecordOf<"task"> {
  const made = madeNow(tx, "task", now)
  return {
    parent_plan_id: phase.parent_plan_id,
    parent_phase_id: phase.id,
    ...freeTask(),
    // A task that is created as active starts at once.
    started_at: given.status === "active" ? made.created_at : null,
    ...made,
    ...given,
  }
}

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
