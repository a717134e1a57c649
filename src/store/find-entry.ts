import type { Entry } from "../schemas/journal.ts"
import { HiveError } from "../shared/error.ts"

/** The entry with this id, or with an id that starts so, if only one does. */
export function findEntry(entries: Entry[], id: string): Entry {
  const exact = entries.filter((entry) => entry.id === id)
  const found =
    exact.length > 0 ? exact : entries.filter((entry) => id.length >= 4 && entry.id.startsWith(id))
  if (found.length === 1 && found[0] !== undefined) {
    const undone = entries.find((entry) => entry.undoes === found[0]?.id && isInForce(entry, entries))
    if (undone === undefined) return found[0]
    throw new HiveError({
      code: "conflict",
      what: `The entry ${id} was undone already.`,
      why: `The entry ${undone.id} did that.`,
      use_instead: `Undo ${undone.id} to bring it back.`,
      evidence: `${undone.id} undoes ${found[0].id}`,
    })
  }
  throw new HiveError({
    code: "not_found",
    what: found.length === 0 ? `There is no entry ${id}.` : `"${id}" could be ${found.length} entries.`,
    why: "An entry is named by its id, or by the first characters of it that are enough.",
    use_instead: "Take an id from `hivemind log`.",
    evidence: found.map((entry) => entry.id).join(", ") || "no match",
  })
}

/** An undo counts unless it was itself undone. */
function isInForce(entry: Entry, entries: Entry[]): boolean {
  return !entries.some((other) => other.undoes === entry.id && isInForce(other, entries))
}

export function nothingToUndo(entry: Entry): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${entry.id} left nothing to undo.`,
    why: "Its records are as they were before it, and what it counted has happened.",
    use_instead: "See `hivemind log` for what is in force.",
    evidence: entry.id,
  })
}

export function closedStore(): HiveError {
  return new HiveError({
    code: "closed",
    what: "Nothing was written.",
    why: "This store has been closed.",
    use_instead: "Open it again.",
    evidence: "close() was called",
  })
}

/** A lock that is lost again and again: the machine is too busy. */
export function alwaysOvertaken(attempts: number): HiveError {
  return new HiveError({
    code: "locked",
    what: "Nothing was written.",
    why: "This process lost the lock again and again while it was writing.",
    use_instead: "Try again when the machine is less busy.",
    evidence: `${attempts} attempts`,
  })
}
