import { fieldOf } from "../../graph/links.ts"
import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Op } from "../../schemas/op.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { localTime } from "../../shared/time.ts"

export type DescribedEntry = ReturnType<typeof describeEntries>[number]

/** Describes the `chosen` entries. `all` is needed for names in earlier entries and undos in later ones. */
export function describeEntries(all: Entry[], chosen: ReadonlySet<Entry>, state: GraphState) {
  const undone = findUndone(all)
  const names = recordNames(state)
  const shortOf = (id: string | undefined) => (id === undefined ? null : shortId(id))
  return all.flatMap((entry) => {
    const isChosen = chosen.has(entry)
    const changes: string[] = []
    for (const op of entry.ops) {
      if (isChosen) changes.push(describeOp(op, names))
      names.follow(op)
    }
    if (!isChosen) return []
    return {
      entry,
      short: shortId(entry.id),
      // The entry that undid this one, unless the undo was undone too.
      undoneBy: shortOf(undone.get(entry.id)),
      undoes: shortOf(entry.undoes),
      // The clone that wrote the entry; null for this clone.
      from: entry.brought === undefined ? null : entry.writer,
      changes,
    }
  })
}

/** Maps undone entries to the entries that undid them. Newest first, so that an undo that was undone is skipped. */
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
      // The name of a new record is only known after this op.
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
        // A rank is an internal number that means nothing to people.
        if (field === "rank") return "moved"
        const [was, to] = [fieldOf(op.was, field), fieldOf(op.to, field)]
        if (isNested(was) || isNested(to)) return `${words(field)} changed`
        return `${words(field)} ${value(was, names)} → ${value(to, names)}`
      })
      return `${names.nameOf(op.kind, op.id)}: ${changes.join(", ") || "touched"}`
    }
  }
}

/** Leaves out times such as `updated_at`, unless only times have changed. */
function visibleFields(fields: string[]): string[] {
  const others = fields.filter((field) => !field.endsWith("_at"))
  return others.length > 0 ? others : fields.filter((field) => field !== "updated_at")
}

/** Whether a value contains objects. Such a value is too long for a line, so only `--json` shows it. */
function isNested(given: unknown): boolean {
  return Array.isArray(given) ? given.some(isNested) : typeof given === "object" && given !== null
}

/** Turns a field name into words: `active_task_ids` becomes "active task". */
const words = (field: string): string => field.replace(/_ids?$/, "").replaceAll("_", " ")

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
  const shown = values.slice(0, MAX_LISTED).map((each) => value(each, names))
  const more = values.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(" and ") || "none"
}

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const HASH = /^[0-9a-f]{32,}$/
const WORD = /^[a-z_]{1,30}$/
const MAX_VALUE = 50
const MAX_LISTED = 3
