import { emptyState, type GraphState, recordsOf } from "../graph/state.ts"
import { arrivalOf, type Entry } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { isAddOf, type Op } from "../schemas/op.ts"
import { type AnyRecord, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"

/**
 * The graph as it was at a moment: that of now, with every later entry taken back, newest first. So a look at yesterday
 * costs what has happened since, not what ever has. What was counted of sessions has no past.
 *
 * The graph may change while it is copied. So the log is asked for after that: what was written meanwhile is taken back
 * as well, which gives the same result whether the copy has it or not.
 */
export function* asOf(
  now: GraphState,
  newestFirst: () => Iterable<Entry | undefined>,
  time: number,
  archived: (id: string) => Mem | undefined,
): Pausing<GraphState> {
  const then = emptyState()
  for (const kind of kinds) {
    if (kind === "metrics") continue
    const target = recordsOf(then, kind)
    let count = 0
    for (const [id, record] of recordsOf(now, kind)) {
      target.set(id, record)
      if (++count % PAUSE_EVERY === 0) yield
    }
  }
  // One that came back from the archive was there before as it came.
  const returned = new Map<string, Mem>()
  for (const entry of newestFirst()) {
    if (entry === undefined) yield
    else if (Date.parse(arrivalOf(entry)) <= time) break
    else
      for (const op of [...entry.ops].reverse()) {
        if (isAddOf(op, "mem")) returned.set(op.record.id, op.record)
        takeBack(then, op, (id) => returned.get(id) ?? archived(id))
        yield
      }
  }
  return then
}

function takeBack(state: GraphState, op: Op, archived: (id: string) => Mem | undefined): void {
  if (!("kind" in op) || op.kind === "metrics") return
  const records = recordsOf(state, op.kind)
  switch (op.op) {
    case "add":
      records.delete(op.record.id)
      break
    case "set": {
      const after = records.get(op.id)
      // The fields are those of a record of this kind, as the line's own check has found.
      if (after !== undefined) records.set(op.id, { ...after, ...op.was } as AnyRecord)
      break
    }
    case "drop":
      records.set(op.id, op.was)
      break
    case "archive": {
      const mem = archived(op.id)
      if (mem !== undefined) records.set(op.id, mem)
    }
  }
}

const PAUSE_EVERY = 500
