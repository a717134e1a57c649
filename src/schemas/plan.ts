import * as z from "zod"
import { branch, id, ids, line, made, path, text, time } from "./fields.ts"

export const plan = z.strictObject({
  id,
  title: line,
  /** `research`: holds the tasks of researchers. `unplanned`: holds the inbox tasks of sessions without a task. */
  purpose: z.enum(["work", "research", "unplanned"]),
  acceptance: z.array(text),
  sot_document_path: path.nullable(),
  depends_on: ids,
  owned_by: line.nullable(),
  /** `completed` comes only from imports, because HiveMind archives finished plans. */
  status: z.enum(["draft", "active", "completed", "archived", "abandoned"]),
  reason: text.nullable(),
  completed_at: time.nullable(),
  /** One line that stands for the finished phases and tasks of the plan, if they were summarized. */
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
  /** True for the phase that collects tasks planned without a phase and tasks whose phase is gone. */
  inbox: z.boolean(),
  status: z.enum(["planned", "active", "completed"]),
  summary: text.nullable().default(null),
  ...made,
})
export type Phase = z.infer<typeof phase>
