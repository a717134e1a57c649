import type { GraphState } from "../graph/state.ts"
import { HiveError } from "../shared/error.ts"
import type { GateCall } from "./call.ts"
import { makesPlans } from "./planning.ts"
import { isDenied, mayPlan, roleAdvice, roleOf } from "./roles.ts"

/** What an agent's role may not use, and plans that it may not make. */
export function refuseForRole(call: GateCall, state: GraphState): void {
  if (!isDenied(call) && (mayPlan(call.agent) || !makesPlans(call, state))) return
  const { tool, agent } = call
  const role = roleOf(agent)
  throw new HiveError({
    code: "role",
    what: `${agent} may not use ${tool}.`,
    why: `The role ${role} does not include it.`,
    use_instead: roleAdvice[role],
    evidence: `role = ${role}`,
  })
}
