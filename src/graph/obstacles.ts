import type { Kind, RecordOf } from "../schemas/records.ts"
import type { Task } from "../schemas/task.ts"
import { shortId } from "../shared/ids.ts"
import { callText } from "../shared/tool-names.ts"
import { isDonePlan, isDoneTask, isOpenDecision, isOverPlan } from "./lifecycle.ts"
import type { GraphState } from "./state.ts"

export type Lookup = <K extends Kind>(kind: K, id: string) => RecordOf<K> | undefined

export function lookupIn(state: GraphState): Lookup {
  return <K extends Kind>(kind: K, id: string) => state[kind].get(id)
}

/** A reason why a task cannot be started, with the texts for an error message. */
export interface Obstacle {
  kind: "person" | "dependency" | "gate" | "decision" | "plan"
  why: string
  use_instead: string
  evidence: string
  on?: { kind: "task" | "mem" | "plan"; id: string }
}

/** Lists why a task cannot be started, in the order in which the user should solve it. */
export function obstaclesOf(task: Task, get: Lookup): Obstacle[] {
  const obstacles: Obstacle[] = []
  if (task.held_back !== null) {
    obstacles.push({
      kind: "person",
      why: `A person has blocked this task: ${task.held_back}`,
      use_instead: "Work on another task: only a person can unblock this one.",
      evidence: `task ${task.id}: held_back`,
    })
  }
  const plan = get("plan", task.parent_plan_id)
  // A completed plan does not block a task that a sync or an undo has added to it later.
  if (plan !== undefined && isOverPlan(plan) && plan.status !== "completed") {
    obstacles.push({
      kind: "plan",
      why: `Its plan "${plan.title}" is ${plan.status}.`,
      use_instead: "Work on a plan that is active.",
      evidence: `plan ${plan.id}: status = ${plan.status}`,
      on: { kind: "plan", id: plan.id },
    })
  }
  for (const id of plan?.depends_on ?? []) {
    const other = get("plan", id)
    if (isDonePlan(other)) continue
    obstacles.push({
      kind: "plan",
      why: `Its plan depends on the plan "${other?.title ?? id}", which is ${other?.status ?? "missing"}.`,
      use_instead: "Complete that plan first.",
      evidence: `plan.depends_on = ${id}`,
      on: { kind: "plan", id },
    })
  }
  for (const id of task.depends_on) {
    const other = get("task", id)
    if (isDoneTask(other)) continue
    obstacles.push({
      kind: "dependency",
      why: `It depends on "${other?.title ?? id}", which is ${other?.status ?? "missing"}.`,
      use_instead:
        other === undefined || other.status === "invalidated"
          ? "That task will never be completed: fail this task, and plan it again without the dependency."
          : `Complete ${shortId(id)} first.`,
      evidence: `task.depends_on = ${id}, status = ${other?.status ?? "missing"}`,
      on: { kind: "task", id },
    })
  }
  if (task.temporal_gate !== null) {
    const { after_task_id, reason } = task.temporal_gate
    const other = get("task", after_task_id)
    if (!isDoneTask(other)) {
      obstacles.push({
        kind: "gate",
        why: `It may not start before "${other?.title ?? after_task_id}" is done: ${reason}`,
        use_instead: `Complete ${shortId(after_task_id)} first.`,
        evidence: `temporal_gate.after_task_id = ${after_task_id}, status = ${other?.status ?? "missing"}`,
        on: { kind: "task", id: after_task_id },
      })
    }
  }
  for (const id of task.decisions) {
    const decision = get("mem", id)
    if (decision === undefined || !isOpenDecision(decision)) continue
    obstacles.push({
      kind: "decision",
      why: `A decision is open: ${decision.content}`,
      use_instead: `Save the decision: ${callText("memory", "save")}, kind decision, supersedes ${shortId(id)}.`,
      evidence: `mem ${id}: resolved = false`,
      on: { kind: "mem", id },
    })
  }
  return obstacles
}
