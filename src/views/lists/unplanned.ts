import { compare } from "../../graph/by-age.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { type SessionStanding, sessionName, sessionStanding } from "../../work/session/status.ts"
import { lastExport } from "../export/export-folder.ts"
import { firstSentences } from "../export/synthesis.ts"

/** Work of a session without a plan. The inbox task that holds it is bookkeeping and not shown. */
export interface UnplannedRow {
  host_id: string
  stamp: string
  name: string
  state: SessionStanding
  files: string[]
  checks: { command: string; ok: boolean }[]
  /** First sentence of the last answer, from the last export. */
  last_answer: string | null
  /** Time of the last checkpoint. */
  at: string
}

/** Unplanned work by session (of `only` that session), newest first. */
export function unplannedWork(hive: Hive, max: number, only?: string): UnplannedRow[] {
  const { state } = hive.store.read()
  return [...checkpointsBySession(state)]
    .filter(([session]) => only === undefined || session === only)
    .flatMap(([host, checkpoints]) => {
      const session = sessionOf(state, host)
      const newestFirst = checkpoints.sort((a, b) => compare(b.created_at, a.created_at))
      const at = newestFirst[0]?.created_at
      return session === undefined || at === undefined ? [] : [{ session, newestFirst, at }]
    })
    .sort((a, b) => compare(b.at, a.at) || compare(a.session.id, b.session.id))
    .slice(0, max)
    .map(({ session, newestFirst, at }) => {
      const said = lastExport(hivePaths(hive.home), session).last?.last_message ?? ""
      return {
        host_id: session.host_id,
        stamp: session.stamp,
        name: sessionName(state, session),
        state: sessionStanding(state, session),
        files: [...new Set(newestFirst.filter(({ ok }) => ok).flatMap(({ files }) => files))],
        checks: checksIn(newestFirst),
        last_answer: firstSentences(said) || null,
        at,
      }
    })
}

function checkpointsBySession(state: GraphState): Map<string, Checkpoint[]> {
  const found = new Map<string, Checkpoint[]>()
  for (const plan of state.plan.values()) {
    if (plan.purpose !== "unplanned") continue
    for (const task of state.task.by("parent_plan_id", plan.id)) {
      const session = task.assigned_session_id
      if (session === null || !isUnplanned(task)) continue
      const own = found.get(session) ?? []
      own.push(...state.checkpoint.by("task_id", task.id))
      found.set(session, own)
    }
  }
  return found
}

function checksIn(newestFirst: readonly Checkpoint[]): UnplannedRow["checks"] {
  const last = new Map<string, boolean>()
  for (const { command, did, ok } of newestFirst)
    if (command !== null && did.some((each) => each !== "commit") && !last.has(command)) last.set(command, ok)
  return Array.from(last, ([command, ok]) => ({ command, ok }))
}
