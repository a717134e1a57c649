import * as z from "zod"
import { hostSession, id, line, made, path, time } from "./fields.ts"
import { anchor, memKind } from "./knowledge.ts"
import { phase, plan } from "./plan.ts"
import { sessionMode } from "./session.ts"
import { task } from "./task.ts"

/** How much of each there is at most: a file that is written turn after turn must not grow with the graph. */
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
    "the phase and the tasks belong to the plan",
  )

const issue = z.strictObject({
  kind: z.enum(["task", "evidence", "decision", "file", "quarantine"]),
  text: line,
})
export type ExportIssue = z.infer<typeof issue>

/** The summary of a turn: the session's place in the plan, the files it touched, the last answer, and open issues. */
export const sessionExport = z.strictObject({
  version: z.literal(1),
  /** Counts the exports of the session, from 1. */
  number: z.int().min(1),
  session: z.strictObject({
    host_id: hostSession,
    stamp: made.stamp,
    intent: z.string().nullable(),
    mode: sessionMode,
  }),
  exported_at: time,
  /** `files` and `mems` are what came since then: the export before, or the session's beginning. */
  since: time,
  /** Since the last sign of life of the task at hand; without one, of the session. */
  staleness_hours: z.number().min(0),
  is_stale: z.boolean(),
  hierarchy,
  /** The assistant's words, cut where they get long; null where they are not known. */
  last_message: z.string().max(EXPORT_LIMITS.message).nullable(),
  /** Touched since, each looked up on disk. */
  files: z.array(z.strictObject({ path, exists: z.boolean() })).max(EXPORT_LIMITS.files),
  /** Mems saved since; without those made by rule. */
  mems: z
    .array(z.strictObject({ id, kind: memKind, task_id: id.nullable(), gist: line }))
    .max(EXPORT_LIMITS.mems),
  validation: z
    .strictObject({ is_complete: z.boolean(), issues: z.array(issue).max(EXPORT_LIMITS.issues) })
    .refine(({ is_complete, issues }) => is_complete === (issues.length === 0), "complete means no issue"),
})
export type SessionExport = z.infer<typeof sessionExport>
