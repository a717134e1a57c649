import { inboxOf } from "../../graph/inbox.ts"
import { freePlan, freeTask } from "../../graph/new-records.ts"
import { headIdOf, PROJECT_HEAD_ID, sessionIdOf } from "../../graph/read-head.ts"
import type { Kind, NewRecordOf } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { cutAt, type Made, piecesOf } from "./fields.ts"
import type { NewRecord } from "./report.ts"

// These functions fill in the fields that another tool's record does not have.

type Given<K extends Kind, Required extends keyof NewRecordOf<K>> = Pick<NewRecordOf<K>, Required> &
  Partial<NewRecordOf<K>> &
  Made

export function planRecords(given: Given<"plan", "id" | "title">): NewRecord[] {
  const record = { ...freePlan(), ...given }
  return [
    { kind: "plan", record },
    { kind: "phase", record: inboxOf(record) },
  ]
}

export function phaseRecord(given: Given<"phase", "id" | "title" | "parent_plan_id">): NewRecord {
  const free = { order: 1, inbox: false, status: "planned", summary: null } as const
  return { kind: "phase", record: { ...free, ...given } }
}

export function taskRecord(
  given: Given<"task", "id" | "title" | "parent_plan_id" | "parent_phase_id">,
): Extract<NewRecord, { kind: "task" }> {
  const type = (given.parent_task_id ?? null) === null ? "main" : "sub"
  return { kind: "task", record: { ...freeTask(), type, expected_output: given.title, ...given } }
}

/** Makes a mem. A text that is too long becomes several mems, of which the first is the parent. */
export function memRecords({ content, ...given }: Given<"mem", "id" | "content">): NewRecord[] {
  const free: Omit<NewRecordOf<"mem">, keyof Made | "id" | "content" | "resolved"> = {
    ...{ origin_task_id: null, session_id: null, shelf: "context", origin: "saved", kind: "insight" },
    ...{ status: "active", tags: [], evidence: [], confidence: 1, supersedes: null, related_to: [] },
    ...{ reason: null, stale_at: null },
  }
  const resolved = given.kind === "decision" ? true : null
  return piecesOf(content, MAX_CONTENT).map((piece, n) => {
    const part = n === 0 ? {} : { id: derivedId("part", given.id, String(n)), parent_mem_id: given.id }
    const record = { ...free, resolved, ...given, ...part }
    return { kind: "mem", record: { ...record, content: piece } }
  })
}

export function anchorRecord(given: Given<"anchor", "id" | "key" | "value">): NewRecord {
  const free = { priority: "medium", type: "context", status: "active", session_id: null } as const
  return { kind: "anchor", record: { ...free, related_to: [], ...given } }
}

/** Makes a closed session with its own read-head. Without that, it would show the plan of the project's read-head. */
export function sessionRecords(
  host: string,
  plan: string | null,
  given: Made & Partial<NewRecordOf<"session">>,
): NewRecord[] {
  const host_id = cutAt(host, MAX_HOST_ID)
  const [id, { created_at, updated_at, stamp, intent = null }] = [sessionIdOf(host_id), given]
  const free = { parent_host_id: null, agent: null, mode: "plan_driven", intent, status: "closed" } as const
  return [
    { kind: "session", record: { id, host_id, ...free, summary: null, closed_at: updated_at, ...given } },
    {
      kind: "trajectory",
      record: {
        ...{ id: headIdOf(host_id), session_id: id, active_plan_id: plan, active_phase_id: null },
        ...{ active_task_ids: [], intent, intent_about: null, intent_shift_at: null },
        ...{ created_at, updated_at, stamp },
      },
    },
  ]
}

/** Makes the project's read-head. If the project already has one with a plan, that one stays. */
export function projectHead(
  plan: string,
  made: Made,
  given: Partial<NewRecordOf<"trajectory">> = {},
): NewRecord {
  const free = { session_id: null, active_phase_id: null, active_task_ids: [], intent: null }
  const record = { ...free, id: PROJECT_HEAD_ID, active_plan_id: plan, intent_shift_at: null, ...made }
  return { kind: "trajectory", record: { ...record, ...given } }
}

// Below the limit of the schema, because masking a secret can make the text longer.
const MAX_CONTENT = 95_000
const MAX_HOST_ID = 200
