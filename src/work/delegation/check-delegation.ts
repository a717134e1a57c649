import { ALL } from "../../graph/indexes.ts"
import { isRunning } from "../../graph/lifecycle.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Config } from "../../schemas/config.ts"
import type { Delegation } from "../../schemas/task.ts"
import { type ErrorCode, HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { callText } from "../../shared/tool-names.ts"

type Subagent = { agent: string; prompt: string }

/** Checks the start of a subagent. One in a circle, too deep or, with `strict`, without a delegation is refused. */
export function checkDelegation(
  subagent: Subagent,
  call: { session: string; agent: string | null },
  state: GraphState,
  governance: Config["governance"],
): string[] {
  const chain = [...agentsAbove(state, call.session), call.agent ?? "unknown"]
  const refuse = (code: ErrorCode, why: string, use_instead: string, evidence: string) =>
    new HiveError({ code, what: `${subagent.agent} was not started.`, why, use_instead, evidence })
  if (chain.length > MAX_DEPTH)
    throw refuse(
      "depth",
      `Work can be delegated at most ${MAX_DEPTH} levels deep: ${chain.join(" → ")}.`,
      "Do the work yourself, or report back so that the coordinator can plan it.",
      `depth = ${chain.length}`,
    )
  if (chain.includes(subagent.agent))
    throw refuse(
      "circle",
      `${subagent.agent} is already part of this chain of delegations: ${chain.join(" → ")}.`,
      "Report your result: it is returned to that agent.",
      `chain = ${chain.join(", ")}`,
    )
  const waiting = waitingFor(state.delegation.by("open", ALL), call.session)
  if (findDelegation(waiting, subagent) !== undefined) return []
  const other = governance === "strict" ? waiting[0] : waiting.find((each) => isNamed(each, subagent))
  if (other !== undefined)
    throw refuse(
      "wrong_agent",
      `The task "${state.task.get(other.task_id)?.title ?? other.task_id}" is assigned to ${other.to_agent}.`,
      `Start ${other.to_agent}, or assign the task to another agent.`,
      `delegation ${other.id}: to_agent = ${other.to_agent}`,
    )
  if (governance !== "strict") return [NO_DELEGATION_WARNING]
  throw refuse(
    "no_delegation",
    "Governance is strict: a subagent needs a task that says what is expected and allowed.",
    `Plan a task, then ${callText("delegate", "assign")} it to ${subagent.agent}.`,
    "no delegation is waiting in this session",
  )
}

export function runningFor(state: GraphState, session: string): Delegation | undefined {
  return [...state.delegation.by("child", session)].find(isRunning)
}

export function lastGivenTo(state: GraphState, session: string): Delegation | undefined {
  const given = [...state.delegation.by("child", session)]
  return given.find(isRunning) ?? given.sort((a, b) => a.created_at.localeCompare(b.created_at)).at(-1)
}

/** Delegations whose agent has not been started yet, newest first. */
export function waitingFor(delegations: Iterable<Delegation>, session: string): Delegation[] {
  return [...delegations]
    .filter(({ status, session_id }) => status === "assigned" && session_id === session)
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id))
}

/** The delegation that a subagent is started for: the one its prompt names, else the newest for that agent. */
export function findDelegation(waiting: Delegation[], subagent: Subagent): Delegation | undefined {
  const forAgent = waiting.filter(({ to_agent }) => to_agent === subagent.agent)
  return forAgent.find((each) => isNamed(each, subagent)) ?? forAgent[0]
}

function isNamed({ id, task_id }: Delegation, { prompt }: Subagent): boolean {
  return prompt.includes(shortId(id)) || prompt.includes(shortId(task_id))
}

export function agentsAbove(state: GraphState, session: string): string[] {
  const agents: string[] = []
  let at = sessionOf(state, session)?.parent_host_id ?? null
  while (at !== null && agents.length <= MAX_DEPTH) {
    const above = sessionOf(state, at)
    agents.unshift(above?.agent ?? "unknown")
    at = above?.parent_host_id ?? null
  }
  return agents
}

const MAX_DEPTH = 3
const NO_DELEGATION_WARNING = `HiveMind: this subagent works without a task. ${callText("delegate", "assign")} records what is expected and allowed.`
