import { compactionsOf, countOf, isCompaction } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import { isAddOf } from "../../schemas/op.ts"
import type { Kind, RecordOf } from "../../schemas/records.ts"
import type { Session } from "../../schemas/session.ts"
import { toolOfAuthor } from "../../shared/tool-names.ts"
import { COMMAND, COMMANDS } from "../write.ts"

export type SessionRecord = ReturnType<typeof sessionRecord>

export function sessionRecord(state: GraphState, entries: Iterable<Entry>, session: Session) {
  const { stamp, host_id, status, agent, intent } = session
  const own = [...entries].filter(({ by }) => by.session === host_id)
  const checkpoints = added(own, "checkpoint")
  const anchors = added(own, "anchor")
  const lastCompaction = own.findLastIndex(({ ops }) => ops.some((op) => isCompaction(op, host_id)))
  const early = added(own.slice(0, Math.max(lastCompaction, 0)), "anchor").map(({ id }) => id)
  const completed = own.flatMap(({ ops }) =>
    ops.flatMap((op) =>
      op.op === "set" && op.kind === "task" && op.to.status === "completed" ? [op.id] : [],
    ),
  )
  // Counts only calls that changed something, because the log has no others.
  const tools = new Map<string, number>()
  for (const { by } of own) {
    const tool = toolOfAuthor(by.tool)
    if (tool !== undefined) tools.set(tool, (tools.get(tool) ?? 0) + 1)
  }
  return {
    ...{ stamp, host_id, status, agent, intent },
    began: session.created_at,
    closed: session.closed_at,
    tools: Object.fromEntries(tools),
    files_modified: [...new Set(checkpoints.flatMap(({ ok, files }) => (ok ? files : [])))].sort(),
    tasks_completed: [...new Set(completed)].map((id) => ({ id, title: state.task.get(id)?.title ?? id })),
    delegations: added(own, "delegation").map(({ id, to_agent, task_id, status }) => ({
      id,
      to: to_agent,
      task: state.task.get(task_id)?.title ?? task_id,
      status: state.delegation.get(id)?.status ?? status,
    })),
    compactions: compactionsOf(state, host_id),
    mems: added(own, "mem").map(({ id, kind, content }) => ({ id, kind, content })),
    anchors: {
      made: anchors.map(({ key }) => key),
      /** Anchors from before the last compaction that are still active. */
      survived: anchors
        .filter(({ id }) => early.includes(id) && state.anchor.get(id)?.status === "active")
        .map(({ key }) => key),
    },
    commands: {
      count: countOf(state, host_id, COMMANDS),
      /** Only commands that ran while the session had a task. */
      run: checkpoints.filter(({ tool }) => tool === COMMAND).map(({ summary }) => summary),
    },
  }
}

function added<K extends Kind>(entries: Entry[], kind: K): RecordOf<K>[] {
  return entries.flatMap(({ ops }) => ops.flatMap((op) => (isAddOf(op, kind) ? [op.record] : [])))
}
