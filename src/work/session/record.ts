import { compactionsOf, countOf, isCompaction } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import { isAddOf } from "../../schemas/op.ts"
import type { Kind, RecordOf } from "../../schemas/records.ts"
import type { Session } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { toolOfAuthor } from "../../shared/tool-names.ts"
import { COMMAND, COMMANDS } from "./command.ts"

/** What a session did, as opposed to what was planned. */
export interface SessionRecord {
  stamp: string
  host_id: string
  status: Session["status"]
  agent: string | null
  intent: string | null
  began: string
  closed: string | null
  /** Calls that left something behind, by tool; calls that only read are not in the log. */
  tools: Record<string, number>
  files_modified: string[]
  tasks_completed: { id: string; title: string }[]
  delegations: { id: string; to: string; task: string; status: string }[]
  compactions: number
  mems: { id: string; kind: string; content: string }[]
  anchors: {
    made: string[]
    /** Of those, the ones made before the last compaction that are still fresh. */
    survived: string[]
  }
  /** How many were run, and those that ran while the session had a task. */
  commands: { count: number; run: string[] }
}

/** The record of one session, read from its entries; the state says what became of its records. */
export function sessionRecord(state: GraphState, entries: Iterable<Entry>, session: Session): SessionRecord {
  const own = [...entries].filter(({ by }) => by.session === session.host_id)
  const checkpoints = added(own, "checkpoint")
  const anchors = added(own, "anchor")
  const before = anchorsBefore(own, lastCompaction(own, session))
  return {
    stamp: session.stamp,
    host_id: session.host_id,
    status: session.status,
    agent: session.agent,
    intent: session.intent,
    began: session.created_at,
    closed: session.closed_at,
    tools: toolCounts(own),
    files_modified: [...new Set(checkpoints.flatMap(writtenFiles))].sort(),
    tasks_completed: completed(own).map((id) => ({ id, title: state.task.get(id)?.title ?? id })),
    delegations: added(own, "delegation").map(({ id, to_agent, task_id, status }) => ({
      id,
      to: to_agent,
      task: state.task.get(task_id)?.title ?? task_id,
      status: state.delegation.get(id)?.status ?? status,
    })),
    compactions: compactionsOf(state, session.host_id),
    mems: added(own, "mem").map(({ id, kind, content }) => ({ id, kind, content })),
    anchors: {
      made: anchors.map(({ key }) => key),
      survived: anchors
        .filter(({ id }) => before.has(id) && state.anchor.get(id)?.status === "active")
        .map(({ key }) => key),
    },
    commands: {
      count: countOf(state, session.host_id, COMMANDS),
      run: checkpoints.filter(({ tool }) => tool === COMMAND).map(({ summary }) => summary),
    },
  }
}

/** The records of a kind that these entries added. */
function added<K extends Kind>(entries: Entry[], kind: K): RecordOf<K>[] {
  return entries.flatMap(({ ops }) => ops.flatMap((op) => (isAddOf(op, kind) ? [op.record] : [])))
}

function toolCounts(own: Entry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { by } of own) {
    const tool = toolOfAuthor(by.tool)
    if (tool !== undefined) counts[tool] = (Object.hasOwn(counts, tool) ? (counts[tool] ?? 0) : 0) + 1
  }
  return counts
}

function writtenFiles({ ok, files }: Checkpoint): string[] {
  return ok ? files : []
}

function completed(own: Entry[]): string[] {
  const ids = own.flatMap(({ ops }) =>
    ops.flatMap((op) =>
      op.op === "set" && op.kind === "task" && op.to.status === "completed" ? [op.id] : [],
    ),
  )
  return [...new Set(ids)]
}

function lastCompaction(own: Entry[], { host_id }: Session): number {
  return own.findLastIndex(({ ops }) => ops.some((op) => isCompaction(op, host_id)))
}

function anchorsBefore(own: Entry[], end: number): Set<string> {
  return new Set(added(own.slice(0, Math.max(end, 0)), "anchor").map(({ id }) => id))
}
