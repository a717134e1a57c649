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
import type { Unrecorded } from "./unrecorded.ts"

/** A session in a list. */
export interface SessionRow {
  id: string
  short: string
  stamp: string
  /** Of the host; every `--session` takes it, as it takes the stamp. */
  host_id: string
  /** `mcp` for an agent over MCP, `api` for a program; else OpenCode's. */
  host: "opencode" | "mcp" | "api"
  agent: string | null
  intent: string | null
  state: SessionState
  /** The stamp or id of the session whose subagent it is. */
  parent: string | null
  plan: { id: string; title: string } | null
  /** What it works on. */
  tasks: { id: string; short: string; title: string }[]
  window: Pressure | null
  created_at: string
  updated_at: string
}

/** `unrecorded`: it has no record in the graph, so the host's id is its stamp and id, too. */
export type SessionState = SessionStanding | "unrecorded"

export interface SessionFilter {
  state?: SessionState
  /** Also those of subagents. */
  subagents?: boolean
  words?: string
}

export interface SessionDetail extends SessionRow {
  /** Null where there is no record of it. */
  did: SessionRecord | null
  refusals: RefusalRow[]
  spent: SpentShort | null
}

/** The one that was last at work first; those without a record among them where they are given. */
export function listSessions(
  hive: Hive,
  { state: wanted, subagents, words }: SessionFilter = {},
  paging: Paging = EVERYTHING,
  unrecorded: readonly Unrecorded[] = [],
): Page<SessionRow> {
  const { state } = hive.store.read()
  const recorded = [...state.session.values()]
    .filter(({ parent_host_id }) => subagents === true || parent_host_id === null)
    .filter(({ intent, stamp, host_id, agent }) => hasWords(words, intent, stamp, host_id, agent))
    .filter((session) => wanted === undefined || sessionStanding(state, session) === wanted)
  const others = unrecorded
    .filter(({ parent }) => subagents === true || parent === null)
    .filter(({ host_id, agent }) => hasWords(words, host_id, agent))
    .filter(() => wanted === undefined || wanted === "unrecorded")
  const all = [...recorded, ...others].sort(
    (a, b) => compare(b.updated_at, a.updated_at) || compare(b.host_id, a.host_id),
  )
  return pageWith(all, paging, (each) => ("id" in each ? rowOf(state, each) : unrecordedRow(each)))
}

export async function sessionDetail(hive: Hive, session: Session): Promise<SessionDetail> {
  const { state } = hive.store.read()
  return {
    ...rowOf(state, session),
    did: sessionRecord(state, await hive.store.log({ since: session.created_at }), session),
    ...(await besides(hive, session.host_id)),
  }
}

/** What is known of a session without a record. */
export async function unrecordedDetail(hive: Hive, session: Unrecorded): Promise<SessionDetail> {
  return { ...unrecordedRow(session), did: null, ...(await besides(hive, session.host_id)) }
}

async function besides(hive: Hive, host: string): Promise<Pick<SessionDetail, "refusals" | "spent">> {
  const line = (await ledgerOf(hive)).sessions.find(({ id }) => id === host)
  return { refusals: refusalsOf(hive, { session: host }), spent: spentShort(line?.spent) }
}

function unrecordedRow({ host_id, agent, parent, created_at, updated_at }: Unrecorded): SessionRow {
  return {
    ...{ id: host_id, short: host_id, stamp: host_id, host_id, agent, intent: null },
    ...{ host: hostOf(host_id), state: "unrecorded", parent, plan: null, tasks: [], window: null },
    ...{ created_at, updated_at },
  }
}

/** Who names its sessions how. */
function hostOf(host_id: string): SessionRow["host"] {
  if (host_id.startsWith("api-")) return "api"
  return host_id.startsWith("mcp-") ? "mcp" : "opencode"
}

function rowOf(state: GraphState, session: Session): SessionRow {
  const { id, stamp, host_id, agent, intent, parent_host_id, created_at, updated_at } = session
  const head = headOf(state, host_id)
  const plan = state.plan.get(head?.active_plan_id ?? "")
  const tasks = (head?.active_task_ids ?? []).flatMap((each) => state.task.get(each) ?? [])
  return {
    ...{ id, short: uniqueId(state, id), stamp, host_id, agent, intent },
    host: hostOf(host_id),
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
