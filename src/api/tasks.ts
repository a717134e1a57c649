import * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import type { RunningCall } from "../hive/running-call.ts"
import { checked } from "../schemas/checked.ts"
import { ref, text } from "../schemas/fields.ts"
import { task as record, type Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { listTasks, type TaskDetail, type TaskFilter, type TaskRow, taskDetail } from "../views/look/tasks.ts"
import { planTasks, taskInput } from "../work/plan/plan-tasks.ts"
import { completeTask, type Finished, failTask } from "../work/task/finish.ts"
import { startTask } from "../work/task/start.ts"
import { MOST_TASKS } from "./plans.ts"
import type { Worker } from "./worker.ts"

export type NewTask = z.infer<typeof taskInput>

export interface CompleteOptions {
  /** Whether a task's own check may be run in that folder. Left out: it may not, and a task that has one is not completed. */
  mayRun?: (command: string, dir: string) => boolean | Promise<boolean>
  signal?: AbortSignal
}

const filter = z.strictObject({
  status: z.enum([...record.shape.status.options, "open", "over"]).optional(),
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
    /** Adds tasks to a plan, all of them or none. "#0" in `depends_on` is the first of the same call. */
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
    /** Those under way first, then those that wait. */
    list: (wanted: TaskFilter = {}): TaskRow[] => {
      checked("tasks.list", filter, wanted)
      return listTasks(hive, wanted).items
    },
    /** All that is known about one: its id, or the start of it. */
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
        why: "The task is done when this passes, and the program that completes it has not allowed it.",
        use_instead: "Pass `mayRun` to tasks.complete, and return true for commands that you trust.",
        evidence: dir,
      })
    },
    mayStart: async () => {},
    show: () => {},
    signal: signal ?? new AbortController().signal,
  }
}
