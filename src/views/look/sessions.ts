import { compare } from "../../graph/by-age.ts"
import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import { type Pressure, pressureOf } from "../../graph/pressure.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { uniqueId } from "../../graph/unique-id.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Session } from "../../schemas/session.ts"
import { type SessionRecord, sessionRecord } from "../../work/session/record.ts"
import { type SessionStanding, sessionStanding } from "../../work/session/standing.ts"
import { ledgerOf } from "../cost/ledger.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"
import { type RefusalRow, refusalsOf } from "./refusals.ts"
import { type SpentShort, spentShort } from "./spent.ts"

/** A session in a list. */
export interface SessionRow {
  id: string
  short: string
  stamp: string
  /** Of the host; every `--session` takes it, as it takes the stamp. */
  host_id: string
  /** `mcp` for an agent over MCP; else OpenCode's. */
  host: "opencode" | "mcp"
  agent: string | null
  intent: string | null
  state: SessionStanding
  /** The stamp or id of the session whose subagent it is. */
  parent: string | null
  plan: { id: string; title: string } | null
  /** What it works on. */
  tasks: { id: string; short: string; title: string }[]
  window: Pressure | null
  created_at: string
  updated_at: string
}

export interface SessionFilter {
  state?: SessionStanding
  /** Also those of subagents. */
  subagents?: boolean
  words?: string
}

export interface SessionDetail extends SessionRow {
  did: SessionRecord
  refusals: RefusalRow[]
  spent: SpentShort | null
}

/** The one that was last at work first. */
export function listSessions(
  hive: Hive,
  { state: wanted, subagents, words }: SessionFilter = {},
  paging: Paging = EVERYTHING,
): Page<SessionRow> {
  const { state } = hive.store.read()
  const sessions = [...state.session.values()]
    .filter(({ parent_host_id }) => subagents === true || parent_host_id === null)
    .filter(({ intent, stamp, host_id, agent }) => hasWords(words, intent, stamp, host_id, agent))
    .sort((a, b) => compare(b.updated_at, a.updated_at) || compare(b.id, a.id))
    .filter((session) => wanted === undefined || sessionStanding(state, session) === wanted)
  return pageWith(sessions, paging, (session) => rowOf(state, session))
}

export async function sessionDetail(hive: Hive, session: Session): Promise<SessionDetail> {
  const { state } = hive.store.read()
  const { host_id, created_at } = session
  const line = (await ledgerOf(hive)).sessions.find(({ id }) => id === host_id)
  return {
    ...rowOf(state, session),
    did: sessionRecord(state, await hive.store.log({ since: created_at }), session),
    refusals: refusalsOf(hive, { session: host_id }),
    spent: spentShort(line?.spent),
  }
}

function rowOf(state: GraphState, session: Session): SessionRow {
  const { id, stamp, host_id, agent, intent, parent_host_id, created_at, updated_at } = session
  const head = headOf(state, host_id)
  const plan = state.plan.get(head?.active_plan_id ?? "")
  const tasks = (head?.active_task_ids ?? []).flatMap((each) => state.task.get(each) ?? [])
  return {
    ...{ id, short: uniqueId(state, id), stamp, host_id, agent, intent },
    host: host_id.startsWith("mcp-") ? "mcp" : "opencode",
    state: sessionStanding(state, session),
    parent: parent_host_id,
    plan: plan === undefined ? null : { id: plan.id, title: plan.title },
    tasks: tasks
      .filter((task) => isTaskUnderWay(task))
      .map((task) => ({ id: task.id, short: uniqueId(state, task.id), title: task.title })),
    window: pressureOf(state, host_id) ?? null,
    ...{ created_at, updated_at },
  }
}
