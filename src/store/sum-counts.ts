import { COUNTING, type Entry } from "../schemas/journal.ts"
import { derivedId } from "../shared/ids.ts"

/**
 * Of a segment on its way to the history: one entry per session in place of the many that only count. There is one for
 * every call of a tool, and the history goes into git.
 */
export function sumCounts(entries: readonly Entry[]): Entry[] {
  const sums = new Map<string, Entry[]>()
  const order: (Entry | Entry[])[] = []
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
export function summedAlready(inHistory: ReadonlySet<string>): (entry: Entry) => boolean {
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

function isCounting({ by, ops }: Entry): boolean {
  return by.tool === COUNTING && ops.every(({ op }) => op === "count")
}

/** As an undone hand edit does: what was counted before it and after it does not add up across it. */
function setsCounters({ ops }: Entry): boolean {
  return ops.some((op) => op.op !== "count" && op.kind === "metrics")
}

function sumOf(entries: readonly Entry[]): Entry[] {
  const [first] = entries
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return []
  const sums = new Map<string, { op: "count"; session: string; name: string; by: number }>()
  for (const op of entries.flatMap(({ ops }) => ops)) {
    if (op.op !== "count") continue
    const key = `${op.session}\n${op.name}`
    sums.set(key, { ...op, by: op.by + (sums.get(key)?.by ?? 0) })
  }
  return [{ ...last, id: sumId(first), ops: [...sums.values()] }]
}

/** Follows from the first of them: a segment that is moved twice, after a crash, gives the same one twice. */
function sumId(first: Entry): string {
  return derivedId("counts", first.id)
}
