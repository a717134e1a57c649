import * as z from "zod"
import type { Hive } from "../../hive/hive.ts"
import { listQueue } from "../../views/look/queue.ts"
import type { TimelineItem } from "./model.ts"

const acknowledgement = z.object({
  do: z.literal("acknowledge_warning"),
  session: z.string(),
  signal: z.string(),
})

/** Warnings that a person has acknowledged. They change what is counted, which has no entry in the log; the queue knows them. */
export function acknowledgedWarnings(hive: Hive): TimelineItem[] {
  return listQueue(hive, { state: "done" }, { limit: MAX_FINISHED, page: 1 }).items.flatMap((row) => {
    const given = acknowledgement.safeParse(row.command).data
    if (given === undefined) return []
    const text = `Acknowledged the warning “${given.signal.replaceAll("_", " ")}”`
    return {
      ...{
        id: row.id,
        short: row.short,
        at: row.finished_at ?? row.at,
        kind: "warning",
        text,
        tool: "queue",
      },
      ...{ session: given.session, agent: row.from, changes: [text], lost: [] },
      ...{ undoneBy: null, undoes: null, from: null, refusal: null },
    } satisfies TimelineItem
  })
}

const MAX_FINISHED = 300
