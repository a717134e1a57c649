import { type Author, author, type Entry, entryLine, SYNC_TOOL } from "../schemas/entry.ts"
import { firstIssue } from "../schemas/first-issue.ts"
import { maskFields } from "../schemas/mask-fields.ts"
import type { Op } from "../schemas/op.ts"
import { HiveError } from "../shared/error.ts"
import type { Source } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { MAX_LINE_BYTES } from "./log/line.ts"

/** What was mended while reading, and what a person has changed in a file: written by whoever writes next. */
export const REPAIR: Author = { tool: "repair", session: null, agent: null }
export const HAND_EDIT: Author = { tool: "hand edit", session: null, agent: null }

/** What follows from the order of all clones' entries. */
export const SYNC: Author = { tool: SYNC_TOOL, session: null, agent: null }

/** A line of the log in the making; `seq` is set for ordered entries only. What no reader would accept is refused here. */
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

/** Refuses what may not be written without the lock, because the order of such writes matters. */
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

// An artifact's id follows from its task and path: whoever adds it, it is the same.
const COMMUTING_KINDS = new Set(["mem", "checkpoint", "artifact"])
