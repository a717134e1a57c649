import * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import { checked } from "../schemas/checked.ts"
import { ref } from "../schemas/fields.ts"
import { type Plan, plan as record } from "../schemas/plan.ts"
import type { Task } from "../schemas/task.ts"
import { listPlans, type PlanDetail, type PlanFilter, type PlanRow, planDetail } from "../views/look/plans.ts"
import { createPlan, planInput } from "../work/plan/create.ts"
import { planTasks, taskInput } from "../work/plan/plan-tasks.ts"
import type { Worker } from "./worker.ts"

/** In one call: they are planned together or not at all. */
export const MOST_TASKS = 500

const newPlan = planInput.extend({ tasks: z.array(taskInput).max(MOST_TASKS).optional() })
export type NewPlan = z.infer<typeof newPlan>

const filter = z.strictObject({
  status: z.enum([...record.shape.status.options, "open", "over"]).optional(),
  words: z.string().optional(),
})

export function planCalls(hive: Hive, { caller, noted }: Worker) {
  return {
    /** With its tasks, if they are given: up to 500, where `tasks.plan` adds more. */
    create: async (plan: NewPlan): Promise<{ plan: Plan; tasks: Task[] }> => {
      const { tasks = [], ...input } = checked("plans.create", newPlan, plan)
      const { plan: made } = await noted(createPlan(hive, caller, input))
      return { plan: made, tasks: tasks.length === 0 ? [] : await planTasks(hive, caller, made.id, tasks) }
    },
    /** The open ones first. */
    list: (wanted: PlanFilter = {}): PlanRow[] => {
      checked("plans.list", filter, wanted)
      return listPlans(hive, wanted).items
    },
    /** All that is known about one: its id, or the start of it. */
    status: async (plan: string): Promise<PlanDetail> => planDetail(hive, checked("plans.status", ref, plan)),
  }
}
