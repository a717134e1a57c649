import { fieldOf } from "../../graph/links.ts"
import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Op } from "../../schemas/op.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"

export interface DescribedEntry {
  entry: Entry
  /** Short id, for `hivemind undo`. */
  short: string
  /** Short id of the entry that undid it, if that one still counts. */
  undoneBy: string | null
  undoes: string | null
  /** Name of the clone that wrote it; null for this clone. */
  from: string | null
  changes: string[]
}

/** Describes the `chosen` entries. It needs `all`: earlier entries hold names, later ones may undo. */
export function describeEntries(
  all: Entry[],
  chosen: ReadonlySet<Entry>,
  state: GraphState,
): DescribedEntry[] {
  const undone = findUndone(all)
  const names = recordNames(state)
  const described: DescribedEntry[] = []
  for (const entry of all) {
    const isChosen = chosen.has(entry)
    const changes: string[] = []
    for (const op of entry.ops) {
      if (isChosen) changes.push(describeOp(op, names))
      names.follow(op)
    }
    if (!isChosen) continue
    const shortOf = (id: string | undefined) => (id === undefined ? null : shortId(id))
    described.push({
      entry,
      short: shortId(entry.id),
      undoneBy: shortOf(undone.get(entry.id)),
      undoes: shortOf(entry.undoes),
      from: entry.brought === undefined ? null : entry.writer,
      changes,
    })
  }
  return described
}

/** Undone entry → the entry that undid it. Backwards: an undo that was undone no longer counts. */
function findUndone(all: Entry[]): Map<string, string> {
  const undone = new Map<string, string>()
  for (const { id, undoes } of all.toReversed()) {
    if (undoes !== undefined && !undone.has(id)) undone.set(undoes, id)
  }
  return undone
}

/** One change, field by field: `task "Build login": status planned → active`. */
function describeOp(op: Op, names: RecordNames): string {
  switch (op.op) {
    case "add": {
      // A new record gets its name from this op.
      names.follow(op)
      return `+ ${names.nameOf(op.kind, op.record.id)}`
    }
    case "archive":
      return `${names.nameOf(op.kind, op.id)} → archive`
    case "drop":
      return `- ${names.nameOf(op.kind, op.id)}`
    case "count":
      return `${op.name} ${op.by < 0 ? "" : "+"}${op.by}`
    case "register":
      return `${op.name} = ${op.to ?? "none"}`
    case "compaction":
      return "compacted"
    case "outside_edit":
      return "session file edited outside"
    case "set": {
      const changes = visibleFields(Object.keys(op.to)).map((field) => {
        // The number itself says nothing.
        if (field === "rank") return "moved"
        const [was, to] = [fieldOf(op.was, field), fieldOf(op.to, field)]
        if (isNested(was) || isNested(to)) return `${words(field)} changed`
        return `${words(field)} ${value(was, names)} → ${value(to, names)}`
      })
      return `${names.nameOf(op.kind, op.id)}: ${changes.join(", ") || "touched"}`
    }
  }
}

/** Times are shown only if nothing else has changed. */
function visibleFields(fields: string[]): string[] {
  const others = fields.filter((field) => !field.endsWith("_at"))
  return others.length > 0 ? others : fields.filter((field) => field !== "updated_at")
}

/** Too long for a line; `--json` has it. */
function isNested(given: unknown): boolean {
  return Array.isArray(given) ? given.some(isNested) : typeof given === "object" && given !== null
}

/** `active_task_ids` as "active task". */
function words(field: string): string {
  return field.replace(/_ids?$/, "").replaceAll("_", " ")
}

function value(given: unknown, names: RecordNames): string {
  if (given === null || given === undefined) return "none"
  if (Array.isArray(given)) return list(given, names)
  if (typeof given !== "string") return shorten(JSON.stringify(given), MAX_VALUE)
  if (TIME.test(given)) return localTime(given)
  if (HASH.test(given)) return given.slice(0, 8)
  if (UUID.test(given)) return names.titleOf(given) ?? shortId(given)
  return WORD.test(given) ? given : `"${shorten(given, MAX_VALUE)}"`
}

function list(values: unknown[], names: RecordNames): string {
  if (values.length === 0) return "none"
  const shown = values.slice(0, MAX_LISTED).map((each) => value(each, names))
  const more = values.length - shown.length
  return more > 0 ? `${shown.join(" and ")} and ${more} more` : shown.join(" and ")
}

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const HASH = /^[0-9a-f]{32,}$/
const WORD = /^[a-z_]{1,30}$/
const MAX_VALUE = 50
const MAX_LISTED = 3
