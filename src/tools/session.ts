import * as z from "zod"
import { titleKey } from "../graph/indexes.ts"
import { isOpenTask, isWaitingTask } from "../graph/lifecycle.ts"
import { openConflicts } from "../graph/open-conflicts.ts"
import { first } from "../graph/record-map.ts"
import { tasksIn } from "../graph/tasks-in.ts"
import type { Hive } from "../hive/hive.ts"
import { line, path, ref, text } from "../schemas/fields.ts"
import type { Plan } from "../schemas/plan.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { callText } from "../shared/tool-names.ts"
import { settleConflict } from "../work/conflict/settle.ts"
import { sessionUpdate, updateSession } from "../work/focus/update.ts"
import { closeSession, resumeSession, sessionStart, startSession } from "../work/session/session.ts"
import { sessionStatus } from "../work/session/status.ts"
import { startTask } from "../work/task/start.ts"
import { titled } from "./argument-help.ts"
import { listOwnSnapshots, restoreOwn } from "./restore.ts"
import { action, defineTool, type ToolCaller } from "./tool.ts"

export const sessionTool = defineTool(
  "session",
  "The purpose and state of this session; unlike your own notes it outlives restarts. update: go to a plan (trajectory), phase (tactic) or task (action) by title; created if new. resume: an earlier session. settle: decide a <conflict>; ask the user if it is not clear. restore: bring back files that your call changed; without snapshot, a list.",
  {
    start: action(sessionStart.shape, async (hive, caller, args) => {
      const session = await startSession(hive, caller, args)
      return { entity_id: session.id, stamp: session.stamp, intent: session.intent }
    }),
    update: action(sessionUpdate.shape, async (hive, caller, args) => {
      const { plan, phase, task } = await updateSession(hive, caller, args)
      const ids = { plan_id: plan.id, phase_id: phase?.id, task_id: task?.id }
      if (task !== null) return { entity_id: task.id, ...ids, ...(await startOrExplain(hive, caller, task)) }
      return { entity_id: (phase ?? plan).id, ...ids, note: noTaskStarted(hive, plan, args.content) }
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
      return { entity_id: id, conflicts_left: openConflicts(hive.store.read().state).length }
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

/** Starts the task that the session has moved to, or says why it cannot: only a started task allows writes. */
async function startOrExplain(hive: Hive, caller: ToolCaller, task: Task) {
  if (!isWaitingTask(task)) return { task_status: task.status }
  try {
    return { task_status: (await startTask(hive, caller, task.id)).status }
  } catch (error) {
    if (!(error instanceof HiveError)) throw error
    const then = `Then: ${callText("task", "start")} with task_id ${shortId(task.id)}.`
    const note = `The task was not started. ${error.why} ${error.use_instead} ${then}`
    return { task_status: task.status, note }
  }
}

/** The note after a move to a plan or phase. It lists tasks to start, those with the given title first. */
function noTaskStarted({ store }: Hive, plan: Plan, content: string): string {
  const { state } = store.read()
  const called = first(MAX_TASKS, state.task.by("title", titleKey(content)))
  const near = first(MAX_TASKS, tasksIn(state, "plan", plan.id, isOpenTask))
  const found = first(MAX_TASKS, new Set([...called, ...near]))
  if (found.length === 0)
    return `No task was started: the plan has none yet. Add tasks with ${callText("plan", "plan_tasks")}.`
  return `No task was started. Start one with ${callText("task", "start")}: ${found.map(titled).join(", ")}.`
}

const MAX_TASKS = 3
