import * as z from "zod"
import { branch, hostSession, id, line, made, text, time } from "./fields.ts"

export const sessionMode = z.enum(["plan_driven", "quick_fix", "exploration"])

export const turnKinds = ["decision", "direction", "abandoned", "milestone"] as const

const turningPoint = z.strictObject({
  at: time,
  kind: z.enum(turnKinds),
  text: line,
  /** The record that caused the turning point, which is shown as long as the record still confirms it. */
  about: id.nullable().default(null),
})
export type TurningPoint = z.infer<typeof turningPoint>

export const session = z.strictObject({
  id,
  host_id: hostSession,
  parent_host_id: hostSession.nullable(),
  agent: line.nullable(),
  mode: sessionMode,
  intent: text.nullable(),
  status: z.enum(["active", "closed"]),
  summary: text.nullable(),
  /** Facts that the next compaction is asked to keep; null before the first one. */
  next_report: text.nullable().default(null),
  /** Changes in the direction of the work, oldest first; found at each compaction. */
  turning_points: z.array(turningPoint).default([]),
  closed_at: time.nullable(),
  /** Set by a split: the session that this one continues, and the session that continues this one. */
  continues: hostSession.nullable().default(null),
  continued_in: hostSession.nullable().default(null),
  branch,
  ...made,
})
export type Session = z.infer<typeof session>

/** A read-head: the plan, phase and tasks a session works on. `session_id` is null in the project's default. */
export const trajectory = z.strictObject({
  id,
  session_id: id.nullable(),
  active_plan_id: id.nullable(),
  active_phase_id: id.nullable(),
  active_task_ids: z.array(id),
  intent: text.nullable(),
  /** The plan, phase or task that the intent was given for; null if the session had none at that time. */
  intent_about: id.nullable().default(null),
  intent_shift_at: time.nullable(),
  ...made,
})
export type Trajectory = z.infer<typeof trajectory>

// Rejects names such as `toString`, because every object inherits a property of that name.
export const counterName = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => !(name in {}), "a name that JavaScript needs for itself")
export const registerValue = z.union([z.string().max(1000), z.number().finite()])

export const metrics = z.strictObject({
  id: hostSession,
  /** Counters: they change only by increments, so any order of writes gives the same sum. */
  counts: z.record(counterName, z.number().finite()),
  registers: z.record(counterName, registerValue).default({}),
  /** How often the host has replaced the session's conversation by a summary. */
  compactions: z.int().min(0).default(0),
})
export type Metrics = z.infer<typeof metrics>
