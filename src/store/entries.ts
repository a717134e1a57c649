import { firstIssue } from "../schemas/checked.ts"
import { type Author, author, type Entry, entryLine, SYNC_TOOL } from "../schemas/entry.ts"
import { maskFields } from "../schemas/fields.ts"
import type { Op } from "../schemas/op.ts"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { MAX_LINE_BYTES } from "./log/line.ts"

/** Of repairs made while reading: the next ordered write of any process logs them. */
export const REPAIR: Author = { tool: "repair", session: null, agent: null }
/** Of changes that follow from the order of all clones' entries. */
export const SYNC: Author = { tool: SYNC_TOOL, session: null, agent: null }

/** Makes an entry, and refuses one that no reader would accept. Only ordered entries have a `seq`. */
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
    why: parsed.success ? "It is longer than a line of the log may be." : firstIssue(parsed.error),
    use_instead: parsed.success ? "Write it in smaller pieces." : "Correct it and try again.",
    evidence: parsed.error?.issues[0]?.path.map(String).join(".") || "entry",
  })
}

/** Refuses changes that may not be written without the lock, because their order matters. */
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

/** Entries in batches: reading back a batch that was written blocks the event loop. */
export function* inBatches(entries: Iterable<Entry>): Generator<Entry[]> {
  let batch: Entry[] = []
  let chars = 0
  for (const entry of entries) {
    batch.push(entry)
    chars += JSON.stringify(entry).length
    if (chars <= BATCH_CHARS) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}

/** The first ops, as many as make a line of usual length. */
export function opsOfALine(ops: readonly Op[]): Op[] {
  let chars = 0
  const end = ops.findIndex((op) => {
    chars += JSON.stringify(op).length
    return chars > LINE_CHARS
  })
  return end < 0 ? [...ops] : ops.slice(0, end + 1)
}

export function nothingToUndo(entry: Entry): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${entry.id} left nothing to undo.`,
    why: "The records that it changed have their earlier values again.",
    use_instead: "`hivemind log` shows the entries in force.",
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

const LINE_CHARS = 1 << 20
const BATCH_CHARS = 1 << 16
// An artifact's id follows from its task and path: it is the same in every process that adds it.
const COMMUTING_KINDS = new Set(["mem", "checkpoint", "artifact"])
