import type { Entry } from "../../schemas/entry.ts"

/**
 * The order of entries of all clones, the same in each of them. The clock of an entry is higher than that of every entry
 * its writer had seen, so cause comes before effect; the rest only has to be the same everywhere.
 */
export function byClock(a: Entry, b: Entry): number {
  return a.clock - b.clock || compare(a.writer, b.writer) || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
