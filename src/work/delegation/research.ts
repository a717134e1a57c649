import * as z from "zod"
import { currentTask } from "../../graph/current-task.ts"
import { ALL } from "../../graph/indexes.ts"
import { isRunning } from "../../graph/lifecycle.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { ref, text } from "../../schemas/fields.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { toolName } from "../../shared/tool-names.ts"
import { createPlan, type PlanInput } from "../plan/create.ts"
import { planTasks } from "../plan/plan-tasks.ts"
import { assignTask } from "./assign.ts"

/** What an investigator is asked: the arguments of a call. */
export const researchQuestion = z.strictObject({ question: text, task_id: ref.optional() })

export interface Research extends z.infer<typeof researchQuestion> {
  /** What to look at, and what the answer should be like. */
  brief?: string | undefined
  /** A report is apart from the session's plan: no task waits for it, and the read-head stays. */
  purpose?: "research" | "report" | undefined
}

/**
 * Starts an investigator in a session of its own, beside the caller. Its mems and its report belong to the question's
 * task.
 */
export async function research(
  hive: Hive,
  caller: Caller & { session: string },
  { question, task_id, brief = SAVE_FINDINGS, purpose = "research" }: Research,
): Promise<{ task: Task; delegation: Delegation; session: string }> {
  const { state } = hive.store.read()
  const open = [...state.delegation.by("open", ALL)]
  const running = open.filter((each) => isRunning(each) && each.to_agent === RESEARCHER)
  if (running.length >= MAX_RUNNING) throw tooMany(running)
  const isAside = purpose === "report"
  const parent = task_id ?? (isAside ? undefined : currentTask(state, caller.session)?.id)
  const title = shorten(`Find out: ${question}`, MAX_TITLE)
  const home = isAside ? researchPlan(state) : headOf(state, caller.session)?.active_plan_id
  const planInput: PlanInput = { title: TITLE, acceptance: [], purpose: isAside ? "research" : "work" }
  const plan = home ?? (await createPlan(hive, caller, planInput)).plan.id
  const expected_output = "an answer with its evidence"
  const [task] = await planTasks(hive, caller, plan, [
    { title, purpose, expected_output, assigned_to: RESEARCHER, parent_task_id: parent },
  ])
  if (task === undefined) throw new Error("a task was planned, but none came back")
  const { delegation, handover } = await assignTask(hive, caller, { task_id: task.id, to: RESEARCHER })
  const prompt = `${handover}\n\nQuestion: ${question}\n${brief}`
  const session = await hive.startSession({ parent: caller.session, agent: RESEARCHER, title, prompt })
  return { task, delegation, session }
}

function researchPlan(state: GraphState): string | undefined {
  const [plan] = state.plan.by("research", ALL)
  return plan?.id
}

function tooMany(running: Delegation[]): HiveError {
  return new HiveError({
    code: "conflict",
    what: "No researcher was started.",
    why: `${running.length} are at work; more at once would cost more than they find.`,
    use_instead: "Wait for one to return, or recall one.",
    evidence: running.map(({ id }) => shortId(id)).join(" "),
  })
}

/** Who finds things out. */
export const RESEARCHER = "hive-investigator"
const TITLE = "Research"
const MAX_TITLE = 500
const SAVE_FINDINGS = `Save each finding with ${toolName("memory")} as you go.`
const MAX_RUNNING = 3
