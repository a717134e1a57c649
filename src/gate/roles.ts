/** The roles that HiveMind adds. Every other agent is `solo`: it may do all of it. */
export type Role = "coordinator" | "investigator" | "executor" | "solo"

const ROLES: Record<string, Role> = {
  "hive-coordinator": "coordinator",
  "hive-investigator": "investigator",
  "hive-executor": "executor",
}

export function roleOf(agent: string | null): Role {
  return ROLES[agent ?? ""] ?? "solo"
}

/** Tools a role may not use: hidden from it, and refused if it calls them anyway. */
export const deniedTools: Record<Role, readonly string[]> = {
  coordinator: ["write", "edit", "multiedit", "patch", "apply_patch", "bash", "hivemind_shell"],
  investigator: ["hivemind_plan", "hivemind_delegate", "hivemind_shell"],
  executor: ["hivemind_plan", "hivemind_delegate", "hivemind_hierarchy", "hivemind_cycle", "task"],
  solo: [],
}

/** What to do instead, per role. */
export const roleAdvice: Record<Role, string> = {
  coordinator:
    "Plan the work as a task and delegate it: hivemind_plan plan_tasks, then hivemind_delegate assign.",
  investigator:
    "Save what you found with hivemind_memory and report it; the coordinator plans and delegates.",
  executor: "Work on your task; report to the coordinator what else is needed.",
  solo: "",
}
