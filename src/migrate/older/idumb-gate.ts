import type { NewRecordOf } from "../../schemas/records.ts"
import { objectFrom, textFrom } from "../fields.ts"
import { findTask, type Known } from "./known.ts"

/** What iDumb let a task wait for. */
export function gateOf(
  task: Record<string, unknown>,
  after: readonly string[],
  known: Known,
): NewRecordOf<"task">["temporal_gate"] {
  const [id = ""] = gateIdOf(task)
  const before = after.includes(id) ? findTask(known, id) : undefined
  const reason = textFrom(objectFrom(task["temporalGate"])?.["reason"]) ?? "Taken over."
  return before === undefined ? null : { after_task_id: before.id, reason }
}

export function gateIdOf(task: unknown): string[] {
  const gate = objectFrom(objectFrom(task)?.["temporalGate"])
  const id = textFrom(gate?.["afterTaskId"] ?? gate?.["after_task_id"] ?? gate?.["afterTaskNodeId"])
  return id === undefined ? [] : [id]
}

/** The text of a gate that names no task. */
export function strangeGate(task: Record<string, unknown>): string | undefined {
  const { temporalGate: gate } = task
  if (gateIdOf(task).length > 0 || gate === undefined || gate === null || gate === false) return undefined
  const text = typeof gate === "object" ? JSON.stringify(gate) : textFrom(gate)
  return text === "{}" || text === "[]" ? undefined : text
}
