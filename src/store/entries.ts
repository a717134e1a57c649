import { firstIssue } from "../schemas/checked.ts"
import { type Author, author, type Entry, entryLine, SYNC_TOOL } from "../schemas/entry.ts"
import { maskFields } from "../schemas/fields.ts"
import type { Op } from "../schemas/op.ts"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { MAX_LINE_BYTES } from "./log/line.ts"

/** The author of repairs that HiveMind makes while reading. The next ordered write logs them. */
export const REPAIR: Author = { tool: "repair", session: null, agent: null }
export const SYNC: Author = { tool: SYNC_TOOL, session: null, agent: null }

/** Makes an entry. Throws if readers would reject it. Only ordered entries have a `seq`. */
export function makeEntry(
  source: Source,
  by: Author,
  ops: Op[],
  place: Pick<Entry, "writer" | "clock" | "seq" | "undoes">,
): Entry {
  const at = new Date(source.now()).toISOString()
  const entry: Entry = { id: source.newId(), at, by: maskFields(author, by), ...place, ops }
  const parsed = entryLine.safeParse(entry)
  const isShort = parsed.success && Buffer.byteLength(JSON.stringify(entry)) < MAX_LINE_BYTES / 2
  if (isShort) return entry
  throw new HiveError({
    code: "invalid_record",
    what: "Nothing was written: the entry is not valid.",
    why: parsed.success ? "The entry is too long for one line of the log." : firstIssue(parsed.error),
    use_instead: parsed.success ? "Split the change into smaller ones." : "Correct the value and try again.",
    evidence: parsed.error?.issues[0]?.path.map(String).join(".") || "entry",
  })
}

/** Throws if the changes do not commute, because such changes need the lock. */
export function checkCommutes(ops: Op[]): void {
  const wrong = ops.find((op) => "kind" in op && !(op.op === "add" && COMMUTING_KINDS.has(op.kind)))
  if (wrong === undefined) return
  throw new HiveError({
    code: "internal",
    what: "This change needs the lock.",
    why: `"${wrong.op}" of ${"kind" in wrong ? `a ${wrong.kind}` : "this"} does not commute with other writes.`,
    use_instead: "Use store.write instead of store.append.",
    evidence: shorten(JSON.stringify(wrong), 200),
  })
}

/** Splits values into batches of about this many characters of JSON. Yields a batch as soon as it is full. */
export function* inBatches<T>(values: Iterable<T>, maxChars: number): Generator<T[]> {
  let batch: T[] = []
  let chars = 0
  for (const value of values) {
    batch.push(value)
    chars += JSON.stringify(value).length
    if (chars <= maxChars) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}

export function nothingToUndo(entry: Entry): HiveError {
  return new HiveError({
    code: "conflict",
    what: `There is nothing to undo: the entry ${entry.id} has no effect any more.`,
    why: "The records that this entry changed have their earlier values again.",
    use_instead: "Choose another entry from `hivemind log`.",
    evidence: entry.id,
  })
}

export function closedStore(): HiveError {
  return new HiveError({
    code: "closed",
    what: "Nothing was written.",
    why: "This store has been closed.",
    use_instead: "Open the store again.",
    evidence: "close() was called",
  })
}

// Kinds that are added without the lock. Artifacts have derived ids, so processes that add the same one do not conflict.
const COMMUTING_KINDS = new Set(["mem", "checkpoint", "artifact"])
