import { requireTask } from "../graph/current-task.ts"
import { lookupIn, obstaclesOf } from "../graph/obstacles.ts"
import { first } from "../graph/record-map.ts"
import type { Hive } from "../hive/hive.ts"
import { ref, text } from "../schemas/fields.ts"
import type { Task } from "../schemas/task.ts"
import { runInSlices } from "../shared/slices.ts"
import { captureWorktree } from "../snapshots/detect-changes.ts"
import { shortForm, spentOnTask } from "../views/lists/costs.ts"
import { missingCheck, missingEvidence } from "../work/task/evidence.ts"
import { completeTask, failTask, reviewTask } from "../work/task/finish.ts"
import { startTask } from "../work/task/start.ts"
import { action, defineTool } from "./tool.ts"

export const taskTool = defineTool(
  "task",
  "Start and end tasks. Unlike a todo list it waits for dependencies, keeps what you change as evidence, and lets you write. complete runs verify; words alone are no evidence. Without task_id: the current task.",
  {
    start: action({ task_id: ref }, async (hive, caller, args) => {
      const { id, title, status, expected_output, verify } = await startTask(hive, caller, args.task_id)
      return { entity_id: id, title, task_status: status, expected_output, verify }
    }),
    complete: action({ task_id: ref.optional(), evidence: text }, async (hive, caller, args) => {
      const { task_id, evidence } = args
      const { task, unblocked, next } = await completeTask(hive, caller, task_id, evidence, caller.running)
      const titled = ({ id, title }: Task) => ({ id, title })
      const freed = { unblocked: unblocked.map(titled), next: next && titled(next) }
      return { entity_id: task.id, title: task.title, ...freed }
    }),
    fail: action({ task_id: ref.optional(), reason: text }, async (hive, caller, args) => {
      const task = await failTask(hive, caller, args.task_id, args.reason)
      return { entity_id: task.id, title: task.title, task_status: task.status }
    }),
    review: action({ task_id: ref.optional() }, async (hive, caller, args) => {
      const task = await reviewTask(hive, caller, args.task_id)
      return { entity_id: task.id, title: task.title, missing: await missingNow(hive, task) }
    }),
    status: action({ task_id: ref.optional() }, async (hive, caller, args) => {
      const { state } = hive.store.read()
      const task = requireTask(state, caller.session, args.task_id)
      const newest = first(LIST_LIMIT, state.checkpoint.by("task_id", task.id).backwards())
      return {
        entity_id: task.id,
        title: task.title,
        task_status: task.status,
        waits: obstaclesOf(task, lookupIn(state)).map(({ why }) => why),
        missing: await missingNow(hive, task),
        spent: await spentOn(hive, task),
        checkpoints: newest.reverse().map(({ tool, summary, ok }) => ({ tool, summary, ok })),
      }
    }),
  },
)

/** Token usage and cost of a task, or undefined if no answer was counted for it. */
async function spentOn(hive: Hive, task: Task) {
  const spent = await spentOnTask(hive, task.id)
  if (spent.answers === 0) return undefined
  const { fresh, cached, output, cost } = shortForm(spent)
  return { fresh, cached, output, ...(cost > 0 && { dollars: cost }) }
}

async function missingNow(hive: Hive, task: Task): Promise<string[]> {
  const tree = task.verify === null ? undefined : ((await captureWorktree(hive)).fingerprint ?? "unknown")
  const { state } = hive.store.read()
  return [...missingCheck(state, task, tree), ...(await runInSlices(missingEvidence(state, task, hive.dir)))]
}

const LIST_LIMIT = 10
