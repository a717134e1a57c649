import * as z from "zod"
import { isActiveSession } from "../graph/lifecycle.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Caller, type Hive, type RunningCall } from "../hive/hive.ts"
import { HOST_PROCESS, THIS_PROCESS } from "../hive/host-process.ts"
import { checked } from "../schemas/checked.ts"
import { ref, text } from "../schemas/fields.ts"
import { type Plan, plan as planRecord } from "../schemas/plan.ts"
import { type Task, task as taskRecord } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import {
  listPlans,
  type PlanDetail,
  type PlanFilter,
  type PlanRow,
  planDetail,
} from "../views/lists/plans.ts"
import {
  listTasks,
  type TaskDetail,
  type TaskFilter,
  type TaskRow,
  taskDetail,
} from "../views/lists/tasks.ts"
import { createPlan, planInput, planTasks, taskInput } from "../work/plan/create.ts"
import { closeSession } from "../work/session/session.ts"
import { completeTask, type Finished, failTask } from "../work/task/finish.ts"
import { startTask } from "../work/task/start.ts"

const MOST_TASKS = 500

const newPlan = planInput.extend({ tasks: z.array(taskInput).max(MOST_TASKS).optional() })

export type NewPlan = z.infer<typeof newPlan>

const planFilter = z.strictObject({
  status: z.enum([...planRecord.shape.status.options, "open", "over"]).optional(),
  words: z.string().optional(),
})

export function planCalls(hive: Hive, { caller, noted }: Worker) {
  return {
    /** Creates a plan with up to 500 tasks. `tasks.plan` adds more. */
    create: async (plan: NewPlan): Promise<{ plan: Plan; tasks: Task[] }> => {
      const { tasks = [], ...input } = checked("plans.create", newPlan, plan)
      const { plan: made } = await noted(createPlan(hive, caller, input))
      return { plan: made, tasks: tasks.length === 0 ? [] : await planTasks(hive, caller, made.id, tasks) }
    },
    /** Lists plans, open ones first. */
    list: (wanted: PlanFilter = {}): PlanRow[] => {
      checked("plans.list", planFilter, wanted)
      return listPlans(hive, wanted).items
    },
    /** Finds a plan by its id or the beginning of its id. */
    status: async (plan: string): Promise<PlanDetail> => planDetail(hive, checked("plans.status", ref, plan)),
  }
}

export type NewTask = z.infer<typeof taskInput>

export interface CompleteOptions {
  /** Decides whether the task's check may run. By default it may not, so a task with a check is not completed. */
  mayRun?: (command: string, dir: string) => boolean | Promise<boolean>
  signal?: AbortSignal
}

const taskFilter = z.strictObject({
  status: z.enum([...taskRecord.shape.status.options, "open", "over"]).optional(),
  plan: ref.optional(),
  session: z.string().optional(),
  words: z.string().optional(),
})

const planned = z.strictObject({ plan: ref, tasks: z.array(taskInput).min(1).max(MOST_TASKS) })
const completeOptions = z.strictObject({
  mayRun: z.custom((given) => typeof given === "function").optional(),
  signal: z.instanceof(AbortSignal).optional(),
})
const finished = z.strictObject({ task: ref, evidence: text })
const failed = z.strictObject({ task: ref, reason: text })

export function taskCalls(hive: Hive, { caller, noted }: Worker) {
  return {
    /** Adds all tasks, or none if one of them is invalid. "#0" in `depends_on` means the first task of this call. */
    plan: async (plan: string, tasks: NewTask[]): Promise<Task[]> => {
      const given = checked("tasks.plan", planned, { plan, tasks })
      return noted(planTasks(hive, caller, given.plan, given.tasks))
    },
    start: async (task: string): Promise<Task> =>
      noted(startTask(hive, caller, checked("tasks.start", ref, task))),
    complete: async (task: string, evidence: string, options: CompleteOptions = {}): Promise<Finished> => {
      const given = checked("tasks.complete", finished, { task, evidence })
      checked("tasks.complete", completeOptions, options)
      return noted(completeTask(hive, caller, given.task, given.evidence, runsIf(options)))
    },
    fail: async (task: string, reason: string): Promise<Task> => {
      const given = checked("tasks.fail", failed, { task, reason })
      return noted(failTask(hive, caller, given.task, given.reason))
    },
    /** Lists tasks. Those that are being worked on come first. */
    list: (wanted: TaskFilter = {}): TaskRow[] => {
      checked("tasks.list", taskFilter, wanted)
      return listTasks(hive, wanted).items
    },
    /** Finds a task by its id or the beginning of its id. */
    get: async (task: string): Promise<TaskDetail> => taskDetail(hive, checked("tasks.get", ref, task)),
  }
}

function runsIf({ mayRun = () => false, signal }: CompleteOptions): RunningCall {
  return {
    mayRun: async (command, dir) => {
      if (await mayRun(command, dir)) return
      throw new HiveError({
        code: "not_allowed",
        what: `\`${command}\` was not run.`,
        why: "The task is complete only when this command succeeds, and `mayRun` did not allow it.",
        use_instead: "Pass `mayRun` to tasks.complete, and return true for commands that you trust.",
        evidence: dir,
      })
    },
    mayStart: async () => {},
    show: () => {},
    signal: signal ?? new AbortController().signal,
  }
}

/** The session that a program writes in: created for the program, unless it passed one. */
interface Worker {
  caller: Caller & { session: string }
  /** Awaits a write. After the first one, it also records that the session belongs to this process. */
  noted: <T>(write: Promise<T>) => Promise<T>
  /** Closes the session if it was created for the program. */
  end: () => Promise<void>
}

export function workerOf(hive: Hive, caller: Caller): Worker {
  const isOwn = caller.session === null
  const session = caller.session ?? `api-${hive.source.newId()}`
  const worker = { ...caller, session }
  let isNoted = !isOwn
  return {
    caller: worker,
    async noted(write) {
      const result = await write
      if (!isNoted) {
        isNoted = true
        await hive.store.append(authorOf(worker), (tx) => tx.register(session, HOST_PROCESS, THIS_PROCESS))
      }
      return result
    },
    async end() {
      const record = isOwn ? sessionOf(hive.store.read().state, session) : undefined
      if (record !== undefined && isActiveSession(record)) await closeSession(hive, worker)
    },
  }
}
