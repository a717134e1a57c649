import type { GraphState } from "../graph/state.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { lastGivenTo, runningFor } from "../work/delegation/rules.ts"
import type { GateCall } from "./call.ts"

/** A delegate works on the task it was given. Another task would have other limits. */
export function refuseOtherTask({ tool, own, session }: GateCall, state: GraphState): void {
  const given = runningFor(state, session)
  if (given === undefined || own === null) return
  const { action, task_id } = own.args
  const isOther = own.tool === "task" && action === "start" && !given.task_id.startsWith(String(task_id))
  const isMove = own.tool === "session" && (action === "update" || action === "resume")
  if (!isOther && !isMove) return
  throw new HiveError({
    code: "not_allowed",
    what: `${tool} ${String(action)} was not run.`,
    why: "You were handed one task, and work on that one.",
    use_instead: "Complete or fail it, and report what else is needed.",
    evidence: `delegation ${given.id}: task ${given.task_id}`,
  })
}

/** A delegate's tool limits stay in force in its session, also once its task is done. */
export function refuseDisallowedTool(
  { tool, own, use, session }: GateCall,
  atHand: Task | undefined,
  state: GraphState,
): void {
  const given = lastGivenTo(state, session)
  const task = atHand ?? state.task.get(given?.task_id ?? "")
  const limits = [atHand?.allowed_tools ?? null, given?.allowed_tools ?? null]
  const limit = limits.find((tools) => tools !== null && !tools.includes(tool))
  if (task === undefined || limit === undefined || limit === null) return
  // Reporting on a task is part of every task; so are the host's own notes.
  if (own === null ? use === "governance" : REPORTING.has(own.tool)) return
  throw new HiveError({
    code: "not_allowed",
    what: `${tool} may not be used for "${task.title}".`,
    why: `The task allows ${limit.join(", ") || "no tools"}.`,
    use_instead: "Use what is allowed, or report that the task needs more.",
    evidence: `task ${task.id}: allowed tools`,
  })
}

const REPORTING = new Set(["task", "session", "memory", "inspect"])
