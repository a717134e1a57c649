import type { Entry } from "../schemas/entry.ts"
import { HiveError } from "../shared/error.ts"
import type { Pausing } from "../shared/slices.ts"

/** The entry with this id, or with an id that starts so, if only one does; looked for among entries, newest first. */
export function* findEntry(newestFirst: Iterable<Entry | undefined>, id: string): Pausing<Entry> {
  const undos: Entry[] = []
  const found: Entry[] = []
  for (const entry of newestFirst) {
    if (entry === undefined) {
      yield
      continue
    }
    if (entry.undoes !== undefined) undos.push(entry)
    const isExact = entry.id === id
    if (isExact) found.length = 0
    if (isExact || (id.length >= 4 && entry.id.startsWith(id))) found.push(entry)
    // What undoes an entry comes after it, so nothing older is of interest.
    if (isExact) break
  }
  const [only] = found
  if (only === undefined || found.length > 1) throw notFound(id, found)
  const undone = undos.find((entry) => entry.undoes === only.id && isInForce(entry, undos))
  if (undone !== undefined) throw undoneAlready(id, only, undone)
  return only
}

/** An undo counts unless it was itself undone. */
function isInForce(entry: Entry, undos: readonly Entry[]): boolean {
  return !undos.some((other) => other.undoes === entry.id && isInForce(other, undos))
}

function undoneAlready(id: string, entry: Entry, by: Entry): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${id} was undone already.`,
    why: `The entry ${by.id} did that.`,
    use_instead: `Undo ${by.id} to bring it back.`,
    evidence: `${by.id} undoes ${entry.id}`,
  })
}

function notFound(id: string, found: readonly Entry[]): HiveError {
  return new HiveError({
    code: "not_found",
    what: found.length === 0 ? `There is no entry ${id}.` : `"${id}" could be ${found.length} entries.`,
    why: "An entry is named by its id, or by the first characters of it that are enough.",
    use_instead: "Take an id from `hivemind log`.",
    evidence: found.map((entry) => entry.id).join(", ") || "no match",
  })
}
