import * as z from "zod"
import { id, line, time } from "./fields.ts"

/**
 * How two clones contradict each other. `same_field`: both changed a field. `status`: one ended the record, one continued it.
 * `ends`: one completed it, one gave it up. `held_twice`: two sessions took one task. `circle`: two links form a circle
 * together. `anchor_key`: two anchors with one key. `dropped`: one deleted it, one changed or needs it. `versions`: both
 * added a record with the same id. `replaced_twice`: each replaced one mem by a mem of its own.
 */
export const conflictRule = z.enum([
  "same_field",
  "status",
  "ends",
  "held_twice",
  "circle",
  "anchor_key",
  "dropped",
  "versions",
  "replaced_twice",
])
export type ConflictRule = z.infer<typeof conflictRule>

const fields = z.record(z.string().min(1).max(100), z.unknown())
const side = z.strictObject({
  fields,
  writer: z.string().min(1).max(100).nullable(),
})

/** Changes of two clones that contradict each other. Every clone computes the same conflict with the same id. */
export const conflict = z.strictObject({
  id,
  rule: conflictRule,
  /** The kind of the record in conflict. No enum: records.ts, which lists the kinds, imports this file. */
  kind: line,
  record_id: id,
  kept: side,
  lost: side,
  /** `noted`: settled by a rule; no decision is needed. `open`: waits for a decision. */
  status: z.enum(["noted", "open", "settled"]),
  created_at: time,
  updated_at: time,
})
export type Conflict = z.infer<typeof conflict>
