import { pressureOf } from "../../graph/pressure.ts"
import { recordNames } from "../../graph/record-names.ts"
import type { Hive } from "../../hive/hive.ts"
import { runInSlices } from "../../shared/slices.ts"
import { tools } from "../../tools/index.ts"
import { PROTOCOL } from "../../turns/turn-transcript.ts"
import { fixedCost } from "../../views/context/injected.ts"
import { lastToldSession, type Turn, turnsOf } from "../../views/context/turns.ts"
import { listSessions } from "../../views/lists/sessions.ts"

/** Returns what HiveMind sent the model in a session. An empty `wanted` means the latest session. */
export async function contextAnswer(hive: Hive, wanted: string) {
  const session = wanted === "" ? lastToldSession(hive) : wanted
  const window = pressureOf(hive.store.read().state, session)
  const turns = turnsOf(hive, session).slice(-MAX_TURNS)
  const sessions = listSessions(hive, { subagents: true }).items
  return {
    session: sessions.find(({ host_id }) => host_id === session) ?? null,
    sessions: sessions.slice(0, MAX_SESSIONS),
    turns,
    names: namesIn(hive, turns),
    fixed: fixedCost(PROTOCOL, tools),
    window: window ?? null,
    answers: session === null ? [] : await answersOf(hive, session, window?.window),
  }
}

/** The titles of all records that the turns mention, by id. Records that no longer exist are left out. */
function namesIn(hive: Hive, turns: readonly Turn[]): Readonly<Record<string, string>> {
  const { titleOf } = recordNames(hive.store.read().state)
  const ids = new Set(turns.flatMap(({ items, gone }) => [...items, ...gone].map(({ id }) => id)))
  return Object.fromEntries(
    [...ids].flatMap((id) => {
      const title = titleOf(id)
      return title === undefined ? [] : [[id, title.replace(/^"|"$/g, "")]]
    }),
  )
}

/** The model's answers, oldest first: fresh and cached input tokens, and how full the window was. */
async function answersOf(hive: Hive, session: string, window: number | undefined) {
  const all = await runInSlices(hive.usage.all())
  return [...all.values()]
    .filter((answer) => answer.session === session)
    .slice(-MAX_ANSWERS)
    .map(({ at, input, cache_write, cache_read }) => ({
      at,
      fresh: input + cache_write,
      cached: cache_read,
      share: window === undefined ? null : (input + cache_write + cache_read) / window,
    }))
}

const MAX_SESSIONS = 100
const MAX_TURNS = 300
const MAX_ANSWERS = 500
