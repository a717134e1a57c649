import type { Hive } from "../../hive/hive.ts"
import { queueContents } from "../../queue/queue.ts"
import type { WaitingCommand } from "../../schemas/queued-command.ts"
import { shortId } from "../../shared/ids.ts"
import { hasWords, type Page, type Paging, pageOf } from "./page.ts"

/** A queued command and its outcome. */
export interface QueueRow {
  id: string
  short: string
  at: string
  from: string
  command: unknown
  state: "waiting" | "done" | "refused"
  /** Null while it waits. */
  finished_at: string | null
  /** Id of the log entry that it made. */
  entry: string | null
  refusal: { what: string; why: string; use_instead: string } | null
  /** A remark on a command that was done. */
  note: string | null
}

interface QueueFilter {
  state?: QueueRow["state"]
  words?: string
}

/** Waiting commands, oldest first; then finished ones, newest first. */
export function listQueue(
  hive: Hive,
  { state, words }: QueueFilter,
  paging: Paging,
): Page<QueueRow> & { strange: number } {
  const { waiting, finished, strange } = queueContents(hive)
  const rows = [
    ...Array.from(waiting.values(), (command) => ({ ...rowOf(command), ...WAITS })),
    ...Array.from(finished.values(), ({ command, outcome }): QueueRow => {
      const done = { ...rowOf(command), finished_at: outcome.at }
      if (outcome.ok)
        return { ...done, state: "done", entry: outcome.entry, refusal: null, note: outcome.note ?? null }
      const { what, why, use_instead } = outcome
      return { ...done, state: "refused", entry: null, refusal: { what, why, use_instead }, note: null }
    }).reverse(),
  ]
  const wanted = rows
    .filter((row) => state === undefined || row.state === state)
    .filter(({ command, from }) => hasWords(words, JSON.stringify(command), from))
  return { ...pageOf(wanted, paging), strange }
}

function rowOf({ id, at, from, command }: WaitingCommand) {
  return { id, short: shortId(id), at, from, command }
}

const WAITS = { state: "waiting", finished_at: null, entry: null, refusal: null, note: null } as const
