import { inboxOf } from "../../graph/inbox.ts"
import { PROJECT_HEAD_ID } from "../../graph/read-head.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { stampOf } from "../../shared/stamp.ts"
import type { Taken } from "../found.ts"

type Given<K extends "plan" | "phase" | "task" | "mem", F extends keyof NewRecordOf<K>> = Pick<
  NewRecordOf<K>,
  F
> &
  Partial<NewRecordOf<K>>
type Made = "created_at" | "updated_at" | "stamp"

/** Records with what another tool says of them; all else as it is where nobody has said anything. */

/** A plan with its inbox. */
export function planTaken(given: Given<"plan", "id" | "title" | Made>): Taken[] {
  const record: NewRecordOf<"plan"> = {
    purpose: "work",
    acceptance: [],
    sot_document_path: null,
    depends_on: [],
    owned_by: null,
    status: "active",
    reason: null,
    completed_at: null,
    summary: null,
    ...given,
  }
  return [
    { kind: "plan", record },
    { kind: "phase", record: inboxOf(record) },
  ]
}

export function phaseTaken(given: Given<"phase", "id" | "parent_plan_id" | "title" | "order" | Made>): Taken {
  return { kind: "phase", record: { inbox: false, status: "planned", summary: null, ...given } }
}

export function taskTaken(
  given: Given<"task", "id" | "parent_plan_id" | "parent_phase_id" | "title" | "expected_output" | Made>,
): Taken {
  return {
    kind: "task",
    record: {
      parent_task_id: null,
      type: (given.parent_task_id ?? null) === null ? "main" : "sub",
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
      held_back: null,
      rank: null,
      started_at: null,
      completed_at: null,
      ...given,
    },
  }
}

export function memTaken(given: Given<"mem", "id" | "shelf" | "content" | Made>): Taken {
  return {
    kind: "mem",
    record: {
      origin_task_id: null,
      session_id: null,
      origin: "saved",
      kind: "insight",
      status: "active",
      tags: [],
      evidence: [],
      confidence: 1,
      resolved: null,
      supersedes: null,
      parent_mem_id: null,
      related_to: [],
      reason: null,
      stale_at: null,
      ...given,
    },
  }
}

/** The project's read-head, at a plan: where it has one already, that one stays. */
export function headTaken(plan: string, at: string): Taken {
  return {
    kind: "trajectory",
    record: {
      id: PROJECT_HEAD_ID,
      session_id: null,
      active_plan_id: plan,
      active_phase_id: null,
      active_task_ids: [],
      intent: null,
      intent_about: null,
      intent_shift_at: null,
      created_at: at,
      updated_at: at,
      stamp: stampOf(Date.parse(at)),
    },
  }
}
