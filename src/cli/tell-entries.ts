import { recordNames } from "../graph/record-names.ts"
import type { GraphState } from "../graph/state.ts"
import type { Entry } from "../schemas/journal.ts"
import { describeOp } from "./describe-op.ts"
import { shortIds } from "./short-ids.ts"

/** An entry with what a person wants to know of it. */
export interface ToldEntry {
  entry: Entry
  /** The start of its id: enough for `hivemind undo`. */
  short: string
  /** The (short) entry that took it back, if that one still counts. */
  undoneBy: string | null
  undoes: string | null
  changes: string[]
}

/** Tells the `chosen` of all entries, in the order of the log. All are needed: names and undoing follow from them. */
export function tellEntries(all: Entry[], chosen: ReadonlySet<Entry>, state: GraphState): ToldEntry[] {
  const short = shortIds(all.map((entry) => entry.id))
  const undone = findUndone(all)
  const names = recordNames(state)
  const told: ToldEntry[] = []
  for (const entry of all) {
    const isChosen = chosen.has(entry)
    const changes: string[] = []
    for (const op of entry.ops) {
      if (isChosen) changes.push(describeOp(op, names))
      names.follow(op)
    }
    if (!isChosen) continue
    const shortOf = (id: string | undefined) => (id === undefined ? null : (short.get(id) ?? id))
    told.push({
      entry,
      short: short.get(entry.id) ?? entry.id,
      undoneBy: shortOf(undone.get(entry.id)),
      undoes: shortOf(entry.undoes),
      changes,
    })
  }
  return told
}

/** Undone entry → the one that did it. Backwards, because an undo that was itself undone no longer counts. */
function findUndone(all: Entry[]): Map<string, string> {
  const undone = new Map<string, string>()
  for (const { id, undoes } of all.toReversed()) {
    if (undoes !== undefined && !undone.has(id)) undone.set(undoes, id)
  }
  return undone
}
