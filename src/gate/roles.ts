import { titleKey } from "../graph/indexes.ts"
import { isOpenPlan } from "../graph/lifecycle.ts"
import { headOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import { HiveError } from "../shared/error.ts"
import { callText, type ToolName, toolName } from "../shared/tool-names.ts"
import type { GateCall } from "./call.ts"

/** The roles of the agents that HiveMind adds. Every other agent is `solo` and may use everything. */
export type Role = "coordinator" | "investigator" | "executor" | "solo"

export interface Denied {
  uses: readonly ("write" | "shell" | "delegate")[]
  own: readonly ToolName[]
}

export const deniedTo: Record<Role, Denied> = {
  coordinator: { uses: ["write", "shell"], own: ["shell"] },
  investigator: { uses: ["delegate"], own: ["plan", "delegate", "shell"] },
  executor: { uses: ["delegate"], own: ["plan", "delegate", "hierarchy", "cycle", "scan"] },
  solo: { uses: [], own: [] },
}

export const roleAdvice: Record<Role, string> = {
  coordinator: `Plan the work as a task and delegate it: ${callText("plan", "plan_tasks")}, then ${callText("delegate", "assign")}.`,
  investigator: `Save your findings with ${toolName("memory")} and report them; the coordinator plans and delegates.`,
  executor: "Work on your task; report further work to the coordinator.",
  solo: "",
}

const ROLES: Record<string, Role> = {
  "hive-coordinator": "coordinator",
  "hive-investigator": "investigator",
  "hive-executor": "executor",
}

export function roleOf(agent: string | null): Role {
  return ROLES[agent ?? ""] ?? "solo"
}

function isDenied({ agent, own, use, command }: GateCall): boolean {
  const { uses, own: tools } = deniedTo[roleOf(agent)]
  if (own !== null) return tools.some((tool) => tool === own.tool)
  // A role without a shell may not even run commands that only read.
  if (command !== null) return uses.includes("shell")
  return (use === "write" || use === "delegate") && uses.includes(use)
}

export function refuseForRole(call: GateCall, state: GraphState): void {
  const { tool, agent } = call
  const role = roleOf(agent)
  // A role without the `plan` tool must not create plans through another tool either.
  if (!isDenied(call) && !(deniedTo[role].own.includes("plan") && makesPlans(call, state))) return
  throw new HiveError({
    code: "role",
    what: `${agent} may not use ${tool}.`,
    why: `The role ${role} does not include it.`,
    use_instead: roleAdvice[role],
    evidence: `role = ${role}`,
  })
}

/** Whether a `session update` call would create a plan, phase or task, not just select an existing one. */
function makesPlans({ own, session }: GateCall, state: GraphState): boolean {
  if (own?.tool !== "session" || own.args["action"] !== "update") return false
  const { level, content } = own.args
  if (typeof content !== "string") return false
  const key = titleKey(content)
  if (level === "trajectory")
    return ![...state.plan.by("title", key)].some(({ purpose }) => purpose === "work")
  const plan = state.plan.get(headOf(state, session)?.active_plan_id ?? "")
  if (!isOpenPlan(plan)) return true
  const there =
    level === "tactic"
      ? [...state.phase.by("parent_plan_id", plan?.id ?? "")].filter(({ title }) => titleKey(title) === key)
      : [...state.task.by("title", key)].filter(({ parent_plan_id }) => parent_plan_id === plan?.id)
  return there.length === 0
}
