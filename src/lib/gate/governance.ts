import type { Config } from "../../schemas/config.ts"
import { countOf } from "../detect/counters.ts"
import type { GraphState } from "../graph/state.ts"
import { sessionOf } from "../session/read-head.ts"

export interface Governance {
  mode: Config["governance"]
  /** How a refusal begins to say why. */
  why: string
}

/**
 * The rules for a session. Where the user has stopped one turn after another, what is `assisted` elsewhere is `strict`
 * in that session and in its subagents', for as long as it lives or until a person takes it back.
 */
export function governanceFor(
  state: GraphState,
  config: Pick<Config, "governance" | "detection">,
  session: string | null,
): Governance {
  const { governance: mode, detection } = config
  if (mode === "assisted" && detection.cancels > 0 && mostCancels(state, session) >= detection.cancels)
    return { mode: "strict", why: TIGHTENED }
  return { mode, why: `Governance is ${mode}` }
}

/** The longest row of stopped turns, in the session or in those above it. */
function mostCancels(state: GraphState, session: string | null): number {
  let most = 0
  let at = session
  for (let depth = 0; at !== null && depth < MAX_DEPTH; depth++) {
    most = Math.max(most, countOf(state, at, "most_cancels"))
    at = sessionOf(state, at)?.parent_host_id ?? null
  }
  return most
}

const TIGHTENED =
  "Governance is strict in this session, because the user stopped several turns in a row (only the user can lift that)"
// A hand-edited circle of parents must not hang a call.
const MAX_DEPTH = 10
