import * as z from "zod"
import { id, line, time } from "./fields.ts"

/**
 * How a clash between two clones was settled. `same_field`: both changed it. `status`: it ended here and went on there.
 * `ends`: done here, given up there. `held_twice`: two sessions took one task. `circle`: two links that are a circle
 * together. `anchor_key`: two anchors with one key. `dropped`: taken away here, changed or needed there. `versions`: one
 * record, brought along in two versions.
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
])
export type ConflictRule = z.infer<typeof conflictRule>

const fields = z.record(z.string().min(1).max(100), z.unknown())
const side = z.strictObject({
  /** Fields of the record; for one that is gone as a whole, `record`. */
  fields,
  /** The clone that wrote it, where that is known. */
  writer: z.string().min(1).max(100).nullable(),
})

/** Two clones made changes that cannot both hold. Every clone finds the same conflict, under the same id. */
export const conflict = z.strictObject({
  id,
  rule: conflictRule,
  /** The kind of the record that it is about. Plain text: kinds are listed above this one. */
  kind: line,
  record_id: id,
  kept: side,
  lost: side,
  /** `noted`: settled by a rule, and needs no look. `open`: waits for a decision. */
  status: z.enum(["noted", "open", "settled"]),
  created_at: time,
  updated_at: time,
})
export type Conflict = z.infer<typeof conflict>
