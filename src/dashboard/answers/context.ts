import { pressureOf } from "../../graph/pressure.ts"
import type { Hive } from "../../hive/hive.ts"
import { tools } from "../../tools/index.ts"
import { PROTOCOL } from "../../turns/protocol.ts"
import { fixedCost } from "../../views/context/fixed-cost.ts"
import { lastToldSession, turnsOf } from "../../views/context/turns.ts"
import { listSessions } from "../../views/look/sessions.ts"
import type { ContextView } from "../model.ts"

/** What the model was sent, turn by turn. */
export function contextAnswer(hive: Hive, wanted: string): ContextView {
  const session = wanted === "" ? lastToldSession(hive) : wanted
  const sessions = listSessions(hive, { subagents: true }).items
  return {
    session: sessions.find(({ host_id }) => host_id === session) ?? null,
    sessions: sessions.slice(0, MAX_SESSIONS),
    turns: turnsOf(hive, session).slice(-MAX_TURNS),
    fixed: fixedCost(PROTOCOL, tools),
    window: pressureOf(hive.store.read().state, session) ?? null,
  }
}

const MAX_SESSIONS = 100
const MAX_TURNS = 300
