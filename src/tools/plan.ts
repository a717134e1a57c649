import * as z from "zod"
import { ref, text } from "../schemas/fields.ts"
import { createPlan, planInput, planTasks, taskInput } from "../work/plan/create.ts"
import { abandonPlan, archivePlan } from "../work/plan/end.ts"
import { planStatus } from "../work/plan/status.ts"
import { action, defineTool } from "./tool.ts"

export const planTool = defineTool(
  "plan",
  "Unlike a todo list, plans last, know dependencies and evidence, and decide which writes are allowed. abandon: give up.",
  {
    create: action(planInput.shape, async (hive, caller, args) => {
      const { plan, phases, warning } = await createPlan(hive, caller, args)
      return { entity_id: plan.id, plan_status: plan.status, phases, ...(warning !== null && { warning }) }
    }),
    plan_tasks: action(
      { plan_id: ref, tasks: z.array(taskInput).min(1).max(50) },
      async (hive, caller, args) => {
        const tasks = await planTasks(hive, caller, args.plan_id, args.tasks)
        const made = tasks.map(({ id, title, status }) => ({ entity_id: id, title, task_status: status }))
        return { entity_id: tasks[0]?.id ?? "", tasks: made }
      },
    ),
    status: action({ plan_id: ref.optional() }, (hive, caller, args) => ({
      plans: planStatus(hive, caller.session, args.plan_id),
    })),
    archive: action({ plan_id: ref }, async (hive, caller, args) => {
      const { plan, unblocked } = await archivePlan(hive, caller, args.plan_id)
      return { entity_id: plan.id, title: plan.title, unblocked: unblocked.map(({ id }) => id) }
    }),
    abandon: action({ plan_id: ref, reason: text }, async (hive, caller, args) => {
      const { plan, invalidated } = await abandonPlan(hive, caller, args.plan_id, args.reason)
      return { entity_id: plan.id, title: plan.title, invalidated: invalidated.map(({ id }) => id) }
    }),
  },
  "sot_document_path temporal_gate assigned_to allowed_tools file_locks ahead parent_task_id file line".split(
    " ",
  ),
)
