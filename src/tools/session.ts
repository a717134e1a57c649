import * as z from "zod"
import { standingConflicts } from "../graph/conflict-standing.ts"
import { line, path, ref, text } from "../schemas/fields.ts"
import { settleConflict } from "../work/conflict/settle.ts"
import { sessionUpdate, updateSession } from "../work/focus/update.ts"
import { closeSession } from "../work/session/close.ts"
import { resumeSession } from "../work/session/resume.ts"
import { sessionStart, startSession } from "../work/session/start.ts"
import { sessionStatus } from "../work/session/status.ts"
import { listOwnSnapshots, restoreOwn } from "./restore.ts"
import { noTask, takenUp } from "./taken-up.ts"
import { action, defineTool } from "./tool.ts"

export const sessionTool = defineTool(
  "session",
  "What this session is for and where it stands; unlike your own notes it outlives restarts. update: go to a plan (trajectory), phase (tactic) or task (action) by title; made if new. resume: an earlier session. settle: decide a <conflict>; ask the user if it is not clear. restore: bring back files that your call changed; without snapshot, a list.",
  {
    start: action(sessionStart.shape, async (hive, caller, args) => {
      const session = await startSession(hive, caller, args)
      return { entity_id: session.id, stamp: session.stamp, intent: session.intent }
    }),
    update: action(sessionUpdate.shape, async (hive, caller, args) => {
      const { plan, phase, task } = await updateSession(hive, caller, args)
      const ids = { plan_id: plan.id, phase_id: phase?.id, task_id: task?.id }
      if (task !== null) return { entity_id: task.id, ...ids, ...(await takenUp(hive, caller, task)) }
      return { entity_id: (phase ?? plan).id, ...ids, note: noTask(hive, plan, args.content) }
    }),
    status: action({}, (hive, caller) => ({ ...sessionStatus(hive, caller.session) })),
    close: action({ summary: text.optional() }, async (hive, caller, args) => {
      const session = await closeSession(hive, caller, args.summary)
      return { entity_id: session.id, stamp: session.stamp }
    }),
    resume: action({ session: z.string().min(1).optional() }, async (hive, caller, args) => {
      const from = await resumeSession(hive, caller, args.session)
      return {
        entity_id: from.id,
        stamp: from.stamp,
        summary: from.summary,
        ...sessionStatus(hive, caller.session),
      }
    }),
    settle: action({ conflict: ref, take: z.enum(["kept", "lost"]) }, async (hive, caller, args) => {
      const { id } = await settleConflict(hive, caller, args)
      return { entity_id: id, conflicts_left: standingConflicts(hive.store.read().state).length }
    }),
    restore: action(
      { snapshot: line.optional(), paths: z.array(path).min(1).optional() },
      async (hive, caller, { snapshot, paths }) =>
        snapshot === undefined
          ? listOwnSnapshots(hive, caller)
          : restoreOwn(hive, caller, { snapshot, paths }),
    ),
  },
  ["mode", "summary", "paths"],
)
