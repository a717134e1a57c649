import type { Conflict } from "../schemas/conflict.ts"
import type { Anchor, Mem } from "../schemas/knowledge.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Task } from "../schemas/task.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { ALL } from "./indexes.ts"
import { isAnchorKept, isMemInForce, isOverTask } from "./lifecycle.ts"
import { fieldOf } from "./links.ts"
import { recordNames } from "./record-names.ts"
import { type GraphState, isSame, recordsOf } from "./state.ts"

/** True if a conflict waits for a decision: it is open, and its record has not changed since the merge. */
export function isOpenConflict(conflict: Conflict, state: GraphState): boolean {
  return conflict.status === "open" && isAsKept(conflict, recordsIn(state))
}

export function openConflicts(state: GraphState): Conflict[] {
  const records = recordsIn(state)
  const open = [...state.conflict.by("open", ALL)].filter((each) => isAsKept(each, records))
  return open.sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1))
}

/** False if the record was changed after the merge: that change counts as the decision. */
export function isAsKept(conflict: Conflict, records: Records): boolean {
  const { rule, kept, lost } = conflict
  if (rule === "replaced_twice") {
    const [stands, other] = bothSides(conflict, records)
    return stands.some((one) => other.some(({ content }) => content !== one.content))
  }
  const record = records.find(conflict.kind, conflict.record_id)
  if (rule === "dropped") {
    const there = kept.fields["record"]
    if (there === undefined) return record === undefined
    return record !== undefined && hasFields(record, there as AnyRecord)
  }
  if (record === undefined) return false
  // The casts are safe: a conflict's kind is the kind of its record.
  if (rule === "circle") {
    if (conflict.kind === "task" && isOverTask(record as Task)) return false
    // The conflict is open while the record still lacks one of the lost links.
    return Object.entries(lost.fields).some(([field, ids]) => leftOut(record, field, ids).length > 0)
  }
  if (rule === "anchor_key" && !isAnchorKept(record as Anchor)) return false
  return hasFields(record, kept.fields)
}

/** The ids of a lost link or list of links that the record does not have now. */
export function leftOut(record: AnyRecord, field: string, ids: unknown): string[] {
  const now = idsIn(fieldOf({ ...record }, field))
  return idsIn(ids).filter((id) => !now.includes(id))
}

/** With the rule `replaced_twice`: the mems in force on both sides. A mem that was edited since counts as its replacement. */
export function bothSides({ record_id, lost }: Conflict, { find, replacing }: Records): [Mem[], Mem[]] {
  const inForce = (id: string): Mem[] => {
    const mem = find("mem", id) as Mem | undefined
    if (mem !== undefined && isMemInForce(mem)) return [mem]
    return [...replacing(id)].flatMap((each) => inForce(each.id))
  }
  return [inForce(record_id), inForce(String(lost.fields["id"]))]
}

/** Finds records in a state or a transaction. */
interface Records {
  find: (kind: string, id: string) => AnyRecord | undefined
  /** The mems that supersede a mem. */
  replacing: (id: string) => Iterable<Mem>
}

function recordsIn(state: GraphState): Records {
  return {
    // A newer version of HiveMind may have written a kind that this one does not know.
    find: (kind, id) => (Object.hasOwn(state, kind) ? recordsOf(state, kind as Kind).get(id) : undefined),
    replacing: (id) => state.mem.by("supersedes", id),
  }
}

function hasFields(record: AnyRecord, fields: Readonly<Record<string, unknown>>): boolean {
  const now: Readonly<Record<string, unknown>> = { ...record }
  return Object.entries(fields).every(([field, value]) => field === "updated_at" || isSame(now[field], value))
}

function idsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : []
}

/** Short descriptions of a conflict's record, the version in force and the lost version. */
export interface ConflictWords {
  record: string
  happened: string
  stands: string
  lost: string
}

export function describeConflict(conflict: Conflict, state: GraphState): ConflictWords {
  const { rule, kind, record_id, kept, lost } = conflict
  const names = recordNames(state)
  const dropped = recordIn(lost.fields) ?? recordIn(kept.fields)
  // The graph no longer has a dropped record, so its name comes from the conflict. The cast is safe: both have one kind.
  if (dropped !== undefined) names.follow({ op: "add", kind, record: dropped } as never)
  const nameOf = (id: string) => names.titleOf(id) ?? shortId(id)
  const happened = RULES[rule]
  if (rule === "replaced_twice") {
    const [stands, other] = bothSides(conflict, recordsIn(state))
    const words = (mems: Mem[], { fields }: Conflict["kept"]) =>
      fieldWords({ content: mems[0]?.content ?? fields["content"] }, nameOf)
    const record = names.nameOf("mem", stands[0]?.id ?? record_id)
    return { record, happened, stands: words(stands, kept), lost: words(other, lost) }
  }
  const record = names.nameOf(kind as Kind, record_id)
  if (rule === "dropped") return { record, happened, ...droppedWords(conflict, nameOf) }
  return { record, happened, stands: fieldWords(kept.fields, nameOf), lost: fieldWords(lost.fields, nameOf) }
}

function droppedWords({ kept, lost }: Conflict, nameOf: NameOf): Pick<ConflictWords, "stands" | "lost"> {
  if (recordIn(kept.fields) !== undefined) return { stands: "kept: others need it", lost: "deleted" }
  const change = recordIn(lost.fields) === undefined ? fieldWords(lost.fields, nameOf) : "kept, with changes"
  return { stands: "deleted", lost: change }
}

type NameOf = (id: string) => string
type Fields = Readonly<Record<string, unknown>>

function recordIn(fields: Fields): Fields | undefined {
  const record = fields["record"]
  return typeof record === "object" && record !== null ? { ...record } : undefined
}

/** Describes fields in words. Times are left out, because they only say when the other fields were written. */
function fieldWords(fields: Fields, nameOf: NameOf): string {
  const shown = Object.entries(fields).filter(([field]) => !field.endsWith("_at"))
  const given = shown.filter(([, value]) => value !== null)
  const parts = (given.length > 0 ? given : shown).map(([field, value]) => {
    const name = field.replace(/_ids?$/, "").replaceAll("_", " ")
    return `${name} ${valueWords(value, nameOf)}`
  })
  return parts.join(", ") || "nothing"
}

function valueWords(value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return "none"
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_LISTED).map((each) => valueWords(each, nameOf))
    const more = value.length - shown.length
    return shown.length === 0 ? "none" : `${shown.join(" and ")}${more > 0 ? ` and ${more} more` : ""}`
  }
  if (typeof value !== "string") return shorten(JSON.stringify(value), MAX_VALUE)
  if (UUID.test(value)) return nameOf(value)
  return WORD.test(value) ? value : `"${shorten(value, MAX_VALUE)}"`
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const WORD = /^[a-z_]{1,30}$/
const MAX_VALUE = 60
const MAX_LISTED = 3

const RULES: Record<Conflict["rule"], string> = {
  same_field: "changed by two clones",
  status: "ended in one clone, continued in another",
  ends: "done in one clone, given up in another",
  held_twice: "taken by two sessions",
  circle: "two links that form a circle",
  anchor_key: "saved by two clones under one key",
  dropped: "deleted in one clone, needed or changed in another",
  versions: "two clones added different records with the same id",
  replaced_twice: "two clones replaced one mem, each in its own way",
}
