import * as z from "zod"
import { branch, id, ids, line, made, path, text, time } from "./fields.ts"

export const plan = z.strictObject({
  id,
  title: line,
  /**
   * `research`: holds the tasks of researchers that HiveMind starts by itself; no session works on it.
   * `unplanned`: holds the inbox tasks of sessions that work without a task.
   */
  purpose: z.enum(["work", "research", "unplanned"]),
  acceptance: z.array(text),
  sot_document_path: path.nullable(),
  depends_on: ids,
  owned_by: line.nullable(),
  /** `completed` comes from imports; HiveMind archives a plan that is done. */
  status: z.enum(["draft", "active", "completed", "archived", "abandoned"]),
  reason: text.nullable(),
  completed_at: time.nullable(),
  /** Set where its finished branches were folded into one line. */
  summary: text.nullable().default(null),
  branch,
  ...made,
})
export type Plan = z.infer<typeof plan>

export const phase = z.strictObject({
  id,
  parent_plan_id: id,
  title: line,
  order: z.int().min(0),
  /** The phase that takes in tasks whose own phase is gone, and tasks planned without one. */
  inbox: z.boolean(),
  status: z.enum(["planned", "active", "completed"]),
  summary: text.nullable().default(null),
  ...made,
})
export type Phase = z.infer<typeof phase>
