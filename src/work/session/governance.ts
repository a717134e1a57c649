import { numberIn } from "../../graph/metrics.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Config } from "../../schemas/config.ts"
import type { Metrics } from "../../schemas/session.ts"

export interface Governance {
  mode: Config["governance"]
  /** The beginning of a refusal's reason. */
  why: string
}

/**
 * The governance of a session. Once the user has stopped several turns in a row, `assisted` becomes `strict` in that
 * session and in its subagents, until a person acknowledges it.
 */
export function governanceFor(
  state: GraphState,
  config: Pick<Config, "governance" | "detection">,
  session: string | null,
): Governance {
  const { governance: mode, detection } = config
  if (mode === "assisted" && detection.cancels > 0) {
    const stopped = mostStopped(state, session)
    if (stopped.cancels >= detection.cancels) return { mode: "strict", why: tightened(stopped.session) }
  }
  return { mode, why: `Governance is ${mode}` }
}

/** Of the session and those above it, the one with the longest row of stopped turns. */
function mostStopped(state: GraphState, session: string | null): { session: string; cancels: number } {
  let most = { session: "", cancels: 0 }
  let at = session
  for (let depth = 0; at !== null && depth < MAX_DEPTH; depth++) {
    const metrics = state.metrics.get(at)
    const cancels = metrics === undefined ? 0 : mostCancels(metrics)
    if (cancels > most.cancels) most = { session: at, cancels }
    at = sessionOf(state, at)?.parent_host_id ?? null
  }
  return most
}

/** What a session's user has tightened stays so in the one that goes on with its work. */
export function carryGovernance(tx: Transaction, state: GraphState, from: string, to: string): void {
  const metrics = state.metrics.get(from)
  const cancels = metrics === undefined ? 0 : mostCancels(metrics)
  if (cancels > 0) tx.register(to, "most_cancels", cancels)
}

/** The longest row of turns that the user stopped, until a person lifts it. */
export function mostCancels({ registers }: Pick<Metrics, "registers">): number {
  return numberIn(registers, "most_cancels")
}

/** Names the command that lifts it: the user reads the refusal too. */
function tightened(session: string): string {
  return (
    "Governance is strict in this session, because the user stopped several turns in a row " +
    `(only the user can lift that: hivemind inspect drift --session ${session} --acknowledge cancels)`
  )
}

// A hand-edited circle of parents must not hang a call.
const MAX_DEPTH = 10
