import { freePlan } from "../graph/new-plan.ts"
import { freeTask } from "../graph/new-task.ts"
import type { NewRecordOf } from "../schemas/records.ts"

/** Records with what an old file does not know left empty. What is given counts. */

type Made = "created_at" | "updated_at" | "stamp"

export function planRecord(
  given: Pick<NewRecordOf<"plan">, "id" | "title" | Made> & Partial<NewRecordOf<"plan">>,
): NewRecordOf<"plan"> {
  return {
    ...freePlan(),
    ...given,
  }
}

export function phaseRecord(
  given: Pick<NewRecordOf<"phase">, "id" | "title" | "parent_plan_id" | Made> & Partial<NewRecordOf<"phase">>,
): NewRecordOf<"phase"> {
  return { order: 1, inbox: false, status: "planned", summary: null, ...given }
}

export function taskRecord(
  given: Pick<NewRecordOf<"task">, "id" | "title" | "parent_plan_id" | "parent_phase_id" | Made> &
    Partial<NewRecordOf<"task">>,
): NewRecordOf<"task"> {
  return {
    ...freeTask(),
    type: (given.parent_task_id ?? null) === null ? "main" : "sub",
    expected_output: given.title,
    ...given,
  }
}

export function memRecord(
  given: Pick<NewRecordOf<"mem">, "id" | "content" | Made> & Partial<NewRecordOf<"mem">>,
): NewRecordOf<"mem"> {
  return {
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    origin: "saved",
    kind: "insight",
    status: "active",
    tags: [],
    evidence: [],
    confidence: 1,
    resolved: given.kind === "decision" ? true : null,
    supersedes: null,
    related_to: [],
    reason: null,
    stale_at: null,
    ...given,
  }
}

export function anchorRecord(
  given: Pick<NewRecordOf<"anchor">, "id" | "key" | "value" | Made> & Partial<NewRecordOf<"anchor">>,
): NewRecordOf<"anchor"> {
  return {
    priority: "medium",
    type: "context",
    status: "active",
    session_id: null,
    related_to: [],
    ...given,
  }
}

/** A session of another tool is over: the host knows nothing of it. */
export function sessionRecord(
  given: Pick<NewRecordOf<"session">, "id" | "host_id" | Made> & Partial<NewRecordOf<"session">>,
): NewRecordOf<"session"> {
  return {
    parent_host_id: null,
    agent: null,
    mode: "plan_driven",
    intent: null,
    status: "closed",
    summary: null,
    closed_at: given.updated_at,
    ...given,
  }
}
