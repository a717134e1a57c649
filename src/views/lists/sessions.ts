import { injectedFile, injectedSessions } from "../../context/inject/frozen-injections.ts"
import { compare } from "../../graph/by-age.ts"
import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import { type Pressure, pressureOf } from "../../graph/pressure.ts"
import { headIdOf, sessionOf } from "../../graph/read-head.ts"
import { uniqueId } from "../../graph/resolve-id.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Session } from "../../schemas/session.ts"
import { runInSlices } from "../../shared/slices.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { refusalFile } from "../../store/files/log-file.ts"
import { type SessionRecord, sessionRecord } from "../../work/session/record.ts"
import { type SessionStanding, sessionName, sessionStanding } from "../../work/session/status.ts"
import { ledgerOf, type SpentShort, spentShort } from "./costs.ts"
import { EVERYTHING, hasWords, type Page, type Paging, pageWith } from "./page.ts"
import { type RefusalRow, refusalsOf } from "./refusals.ts"

export interface SessionRow
  extends Pick<Session, "id" | "stamp" | "host_id" | "agent" | "intent" | "created_at" | "updated_at"> {
  short: string
  /** `mcp` is an agent that uses the MCP server, `api` is a program. */
  host: "opencode" | "mcp" | "api"
  /** The name shown to people: the intent, the host's title, or the start time. */
  name: string
  state: SessionState
  parent: string | null
  plan: { id: string; title: string } | null
  tasks: { id: string; short: string; title: string }[]
  window: Pressure | null
}

/** `unrecorded` sessions have no record in the graph. Their host id is also used as id and stamp. */
export type SessionState = SessionStanding | "unrecorded"

export interface SessionFilter {
  state?: SessionState
  subagents?: boolean
  words?: string
}

export interface SessionDetail extends SessionRow {
  /** Null for an unrecorded session. */
  did: SessionRecord | null
  refusals: RefusalRow[]
  spent: SpentShort | null
}

/** Lists the recorded sessions and the given `unrecorded` ones, most recently active first. */
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
    ...(await refusalsAndSpent(hive, session.host_id)),
  }
}

export async function unrecordedDetail(hive: Hive, session: Unrecorded): Promise<SessionDetail> {
  return { ...unrecordedRow(session), did: null, ...(await refusalsAndSpent(hive, session.host_id)) }
}

async function refusalsAndSpent(hive: Hive, host: string) {
  const line = (await ledgerOf(hive)).sessions.find(({ id }) => id === host)
  return { refusals: refusalsOf(hive, { session: host }), spent: spentShort(line?.spent) }
}

function unrecordedRow({ host_id, agent, parent, created_at, updated_at }: Unrecorded): SessionRow {
  return {
    ...{ id: host_id, short: host_id, stamp: host_id, host_id, agent, intent: null, name: host_id },
    ...{ host: hostOf(host_id), state: "unrecorded", parent, plan: null, tasks: [], window: null },
    ...{ created_at, updated_at },
  }
}

function hostOf(host_id: string): SessionRow["host"] {
  if (host_id.startsWith("api-")) return "api"
  return host_id.startsWith("mcp-") ? "mcp" : "opencode"
}

function rowOf(state: GraphState, session: Session): SessionRow {
  const { id, stamp, host_id, agent, intent, parent_host_id, created_at, updated_at } = session
  // Only the session's own read-head is used. The project's belongs to another session.
  const head = state.trajectory.get(headIdOf(host_id))
  const plan = state.plan.get(head?.active_plan_id ?? "")
  const tasks = (head?.active_task_ids ?? []).flatMap((each) => state.task.get(each) ?? [])
  return {
    ...{ id, short: uniqueId(state, id), stamp, host_id, agent, intent },
    name: sessionName(state, session),
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

/** A session that never planned or worked on a task. It is only known from usage, refusals and injected state. */
export interface Unrecorded {
  host_id: string
  agent: string | null
  parent: string | null
  created_at: string
  updated_at: string
}

export async function unrecordedSessions(hive: Hive): Promise<Unrecorded[]> {
  const { state } = hive.store.read()
  const paths = hivePaths(hive.home)
  const found = new Map<string, Unrecorded>()

  function add(host_id: string, at: string, agent: string | null = null, parent: string | null = null): void {
    if (sessionOf(state, host_id) !== undefined) return
    const known = found.get(host_id) ?? { host_id, agent, parent, created_at: at, updated_at: at }
    known.agent ??= agent
    known.parent ??= parent
    if (at < known.created_at) known.created_at = at
    if (at > known.updated_at) known.updated_at = at
    found.set(host_id, known)
  }

  for (const { session, at, agent, parent } of (await runInSlices(hive.usage.all())).values())
    add(session, at, agent, parent)
  for (const { session, at, agent } of refusalFile(paths).read()) add(session, at, agent)
  for (const session of injectedSessions(paths)) {
    // Checked before the file is read, because most sessions have a record.
    if (sessionOf(state, session) !== undefined) continue
    for (const { at } of injectedFile(paths, session).read()) add(session, at)
  }
  return [...found.values()]
}
