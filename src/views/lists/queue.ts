import type { Hive } from "../../hive/hive.ts"
import { queueContents } from "../../queue/queue.ts"
import type { WaitingCommand } from "../../schemas/queued-command.ts"
import { shortId } from "../../shared/ids.ts"
import { hasWords, type Page, type Paging, pageOf } from "./page.ts"

export interface QueueRow {
  id: string
  short: string
  at: string
  from: string
  command: unknown
  state: "waiting" | "done" | "refused"
  /** Null while the command waits. */
  finished_at: string | null
  /** The id of the log entry that the command made. */
  entry: string | null
  refusal: { what: string; why: string; use_instead: string } | null
  note: string | null
}

/** Waiting commands, oldest first; then finished ones, newest first. */
export function listQueue(
  hive: Hive,
  { state, words }: { state?: QueueRow["state"]; words?: string },
  paging: Paging,
): Page<QueueRow> & { strange: number } {
  const { waiting, finished, strange } = queueContents(hive)
  const rows = [
    ...Array.from(waiting.values(), rowOf),
    ...Array.from(finished.values(), ({ command, outcome }): QueueRow => {
      const row = { ...rowOf(command), finished_at: outcome.at }
      if (outcome.ok) return { ...row, state: "done", entry: outcome.entry, note: outcome.note ?? null }
      const { what, why, use_instead } = outcome
      return { ...row, state: "refused", refusal: { what, why, use_instead } }
    }).reverse(),
  ]
  const wanted = rows
    .filter((row) => state === undefined || row.state === state)
    .filter(({ command, from }) => hasWords(words, JSON.stringify(command), from))
  return { ...pageOf(wanted, paging), strange }
}

function rowOf({ id, at, from, command }: WaitingCommand): QueueRow {
  const waits = { state: "waiting", finished_at: null, entry: null, refusal: null, note: null } as const
  return { id, short: shortId(id), at, from, command, ...waits }
}
