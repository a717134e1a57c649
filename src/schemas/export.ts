import * as z from "zod"
import { hostSession, id, line, made, path, time } from "./fields.ts"
import { anchor, memKind } from "./knowledge.ts"
import { phase, plan } from "./plan.ts"
import { sessionMode } from "./session.ts"
import { task } from "./task.ts"

/** Maximum characters or items per section, so that the file's size does not grow with the graph. */
export const EXPORT_LIMITS = {
  message: 4000,
  tasks: 50,
  anchors: 30,
  mems: 20,
  files: 50,
  issues: 40,
} as const

const named = { id: true, title: true, status: true } as const

const hierarchy = z
  .strictObject({
    plan: plan.pick(named).nullable(),
    phase: phase.pick(named).extend({ plan_id: id }).nullable(),
    tasks: z
      .array(
        task
          .pick({ ...named, parent_task_id: true })
          .extend({ at_hand: z.boolean(), plan_id: id, phase_id: id }),
      )
      .max(EXPORT_LIMITS.tasks),
    anchors: z
      .array(anchor.pick({ id: true, key: true, priority: true, status: true, related_to: true }))
      .max(EXPORT_LIMITS.anchors),
  })
  .refine(
    ({ plan, phase, tasks }) =>
      (phase === null || phase.plan_id === plan?.id) && tasks.every(({ plan_id }) => plan_id === plan?.id),
    "the phase and the tasks must belong to the plan",
  )

const issue = z.strictObject({
  kind: z.enum(["task", "evidence", "decision", "file", "quarantine"]),
  text: line,
})
export type ExportIssue = z.infer<typeof issue>

/** The summary of a turn: the session's place in the plan, the files it touched, the last answer, and open issues. */
export const sessionExport = z.strictObject({
  version: z.literal(1),
  number: z.int().min(1),
  session: z.strictObject({
    host_id: hostSession,
    stamp: made.stamp,
    intent: z.string().nullable(),
    mode: sessionMode,
  }),
  exported_at: time,
  /** Time of the previous export or the start of the session. `files` and `mems` cover the time since then. */
  since: time,
  /** Hours since the last activity on the current task; without a task, in the session. */
  staleness_hours: z.number().min(0),
  is_stale: z.boolean(),
  hierarchy,
  /** The assistant's last message, cut to the limit; null if it is not known. */
  last_message: z.string().max(EXPORT_LIMITS.message).nullable(),
  /** Files touched since `since`, and whether they exist now. */
  files: z.array(z.strictObject({ path, exists: z.boolean() })).max(EXPORT_LIMITS.files),
  mems: z
    .array(z.strictObject({ id, kind: memKind, task_id: id.nullable(), gist: line }))
    .max(EXPORT_LIMITS.mems),
  validation: z
    .strictObject({ is_complete: z.boolean(), issues: z.array(issue).max(EXPORT_LIMITS.issues) })
    .refine(({ is_complete, issues }) => is_complete === (issues.length === 0), "complete means no issue"),
})
export type SessionExport = z.infer<typeof sessionExport>
