import type { Trajectory } from "../../schemas/session.ts"
import type { GraphState } from "../graph/state.ts"

/** The active chain and the newest mems as plain text. Pure: the same graph gives the same bytes. */
export function packPlain(state: GraphState, head: Trajectory | undefined): string {
  const plan = head?.active_plan_id ? state.plan.get(head.active_plan_id) : undefined
  const phase = head?.active_phase_id ? state.phase.get(head.active_phase_id) : undefined
  const tasks = (head?.active_task_ids ?? []).flatMap((id) => state.task.get(id) ?? [])
  const mems = [...state.mem.values()]
    // A false path is a warning, not knowledge.
    .filter((mem) => mem.status === "active" && mem.kind !== "false_path")
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id))
    .slice(0, MAX_MEMS)
  return [
    ...(head?.intent ? [`Intent: ${head.intent}`] : []),
    ...(plan === undefined ? [] : [`Plan: ${plan.title} (${plan.status})`]),
    ...(phase === undefined ? [] : [`Phase: ${phase.title} (${phase.status})`]),
    ...tasks.map((task) => `Task: ${task.title} (${task.status}); done when: ${task.expected_output}`),
    ...mems.map((mem) => `Mem (${mem.kind}): ${mem.content}`),
  ].join("\n")
}

const MAX_MEMS = 10
