import { inboxOf } from "../../graph/inbox.ts"
import { PROJECT_HEAD_ID } from "../../graph/read-head.ts"
import { stampOf } from "../../shared/stamp.ts"
import type { Taken } from "../found.ts"
import { memRecord, phaseRecord, planRecord, taskRecord } from "../make-record.ts"

/** A plan with its inbox. */
export function planTaken(given: Parameters<typeof planRecord>[0]): Taken[] {
  const record = planRecord(given)
  return [
    { kind: "plan", record },
    { kind: "phase", record: inboxOf(record) },
  ]
}

export function phaseTaken(given: Parameters<typeof phaseRecord>[0]): Taken {
  return { kind: "phase", record: phaseRecord(given) }
}

export function taskTaken(given: Parameters<typeof taskRecord>[0]): Taken {
  return { kind: "task", record: taskRecord(given) }
}

export function memTaken(given: Parameters<typeof memRecord>[0]): Taken {
  return { kind: "mem", record: memRecord(given) }
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
      intent_shift_at: null,
      created_at: at,
      updated_at: at,
      stamp: stampOf(Date.parse(at)),
    },
  }
}
