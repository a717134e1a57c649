import type { Entry } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { HiveError } from "../shared/error.ts"

export function nothingToUndo(entry: Entry): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${entry.id} left nothing to undo.`,
    why: "What it changed is back to what it was before.",
    use_instead: "See `hivemind log` for what is in force.",
    evidence: entry.id,
  })
}

export function linkedFromArchive(entry: Entry, mem: Mem): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${entry.id} cannot be undone.`,
    why: "A mem in the archive links to what it added.",
    use_instead: "Take what it added out of use instead: purge the mem, or abandon the plan.",
    evidence: `mem ${mem.id}`,
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

/** Others came first again and again: the machine is too busy. */
export function neverCounted(attempts: number): HiveError {
  return new HiveError({
    code: "locked",
    what: "Nothing was written.",
    why: "Other processes came first again and again.",
    use_instead: "Try again when the machine is less busy.",
    evidence: `${attempts} attempts`,
  })
}

/** The line is in the file, and nobody can say whether it will be there after a power failure. */
export function unconfirmed(why: string, cause: unknown): HiveError {
  return new HiveError(
    {
      code: "unconfirmed",
      what: "The change is in the log, but it is not certain to last.",
      why: `It was written, and ${why}.`,
      use_instead: "Look whether it is there (`hivemind log`) before you write it again.",
      evidence: cause instanceof Error ? cause.message : String(cause),
    },
    { cause },
  )
}
