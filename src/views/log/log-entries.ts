import { recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import { describeOp } from "./describe-op.ts"
import { lostOps } from "./lost-ops.ts"

/** An entry of the log with its changes in words. */
export interface DescribedEntry {
  entry: Entry
  /** The start of its id: enough for `hivemind undo`. */
  short: string
  /** The short id of the entry that undid it, if that one still counts. */
  undoneBy: string | null
  undoes: string | null
  /** The clone that wrote it, if it was another one. */
  from: string | null
  changes: string[]
  /** What its writer wrote and merging has not let come into force. */
  lost: string[]
}

/**
 * Describes the `chosen` entries in the order of the log. It needs all of them: an earlier entry holds a record's name,
 * a later one may have undone it.
 */
export function describeEntries(
  all: Entry[],
  chosen: ReadonlySet<Entry>,
  state: GraphState,
): DescribedEntry[] {
  const short = shortIds(all.map((entry) => entry.id))
  const undone = findUndone(all)
  const names = recordNames(state)
  const described: DescribedEntry[] = []
  for (const [n, entry] of all.entries()) {
    const isChosen = chosen.has(entry)
    const changes: string[] = []
    for (const op of entry.ops) {
      if (isChosen) changes.push(describeOp(op, names))
      names.follow(op)
    }
    if (!isChosen) continue
    const shortOf = (id: string | undefined) => (id === undefined ? null : (short.get(id) ?? id))
    described.push({
      entry,
      short: short.get(entry.id) ?? entry.id,
      undoneBy: shortOf(undone.get(entry.id)),
      undoes: shortOf(entry.undoes),
      from: entry.brought === undefined ? null : entry.writer,
      changes,
      lost: lostOps(all, n, state).map((op) => describeOp(op, names)),
    })
  }
  return described
}

/** Undone entry → the one that did it. Backwards, because an undo that was itself undone no longer counts. */
function findUndone(all: Entry[]): Map<string, string> {
  const undone = new Map<string, string>()
  for (const { id, undoes } of all.toReversed()) {
    if (undoes !== undefined && !undone.has(id)) undone.set(undoes, id)
  }
  return undone
}

/** Each id cut to its first eight characters, or as many more as make it unique: `undo` takes these. */
export function shortIds(ids: string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort()
  const short = new Map<string, string>()
  sorted.forEach((id, index) => {
    const shared = Math.max(
      sharedStart(id, sorted[index - 1] ?? ""),
      sharedStart(id, sorted[index + 1] ?? ""),
    )
    short.set(id, id.slice(0, Math.max(SHORTEST, shared + 1)))
  })
  return short
}

function sharedStart(a: string, b: string): number {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}

const SHORTEST = 8
