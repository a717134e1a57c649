import { COUNTING, type EntryLine } from "../schemas/journal.ts"
import type { Measure } from "../schemas/op.ts"
import { derivedId } from "../shared/ids.ts"

/**
 * Of a segment on its way to the history: one entry per session in place of the many that only count. There is one for
 * every call of a tool, and the history goes into git.
 */
export function sumCounts(entries: readonly EntryLine[]): EntryLine[] {
  const sums = new Map<string, EntryLine[]>()
  const order: (EntryLine | EntryLine[])[] = []
  for (const entry of entries) {
    if (!isCounting(entry)) {
      order.push(entry)
      if (setsCounters(entry)) sums.clear()
      continue
    }
    const session = entry.by.session ?? ""
    const ofSession = sums.get(session) ?? []
    if (ofSession.push(entry) === 1) order.push(ofSession)
    sums.set(session, ofSession)
  }
  return order.flatMap((each) => (Array.isArray(each) ? sumOf(each) : [each]))
}

/** Tells whether an entry of a segment is in a sum of the history already, entry by entry from the segment's start. */
export function summedAlready(inHistory: ReadonlySet<string>): (entry: EntryLine) => boolean {
  const sums = new Map<string, boolean>()
  return (entry) => {
    if (setsCounters(entry)) sums.clear()
    if (!isCounting(entry)) return false
    const session = entry.by.session ?? ""
    const known = sums.get(session) ?? inHistory.has(sumId(entry))
    sums.set(session, known)
    return known
  }
}

function isCounting({ by, ops }: EntryLine): boolean {
  return (
    by.tool === COUNTING &&
    ops.every((op) => (op.op === "count" || op.op === "register") && op.session === by.session)
  )
}

/** As an undone hand edit does: what was counted before it and after it does not add up across it. */
function setsCounters(entry: EntryLine): boolean {
  return entry.ops.some((op) =>
    "kind" in op ? op.kind === "metrics" : op.op === "register" && !isCounting(entry),
  )
}

function sumOf(entries: readonly EntryLine[]): EntryLine[] {
  const [first] = entries
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return []
  const counts = new Map<string, Extract<Measure, { op: "count" }>>()
  const registers = new Map<string, Extract<Measure, { op: "register" }>>()
  for (const op of entries.flatMap(({ ops }) => ops)) {
    if (op.op === "count") counts.set(op.name, { ...op, by: op.by + (counts.get(op.name)?.by ?? 0) })
    if (op.op === "register") registers.set(op.name, op)
  }
  return [{ ...last, id: sumId(first), ops: [...counts.values(), ...registers.values()] }]
}

/** Follows from the first of them: a segment that is moved twice, after a crash, gives the same one twice. */
function sumId(first: EntryLine): string {
  return derivedId("counts", first.id)
}
