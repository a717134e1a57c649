import type { Conflict } from "../schemas/conflict.ts"
import type { Kind } from "../schemas/records.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { recordNames } from "./record-names.ts"
import type { GraphState } from "./state.ts"

/** What a conflict is about, what stands and what lost, in a few words each. */
export interface ConflictWords {
  /** `task "Build login"`. */
  record: string
  /** `done in one clone, given up in another`. */
  happened: string
  stands: string
  lost: string
}

export function describeConflict(conflict: Conflict, state: GraphState): ConflictWords {
  const { rule, kind, record_id, kept, lost } = conflict
  const names = recordNames(state)
  const whole = wholeOf(lost.fields) ?? wholeOf(kept.fields)
  // One that is gone has its name in the conflict. Kind and record belong together.
  if (whole !== undefined) names.follow({ op: "add", kind, record: whole } as never)
  const nameOf = (id: string) => names.titleOf(id) ?? shortId(id)
  const record = names.nameOf(kind as Kind, record_id)
  const happened = RULES[rule]
  if (rule === "dropped") return { record, happened, ...droppedWords(conflict, nameOf) }
  return { record, happened, stands: fieldWords(kept.fields, nameOf), lost: fieldWords(lost.fields, nameOf) }
}

function droppedWords({ kept, lost }: Conflict, nameOf: NameOf): Pick<ConflictWords, "stands" | "lost"> {
  if (wholeOf(kept.fields) !== undefined) return { stands: "kept: others need it", lost: "taken away" }
  const change = wholeOf(lost.fields) === undefined ? fieldWords(lost.fields, nameOf) : "kept, with changes"
  return { stands: "taken away", lost: change }
}

type NameOf = (id: string) => string
type Fields = Readonly<Record<string, unknown>>

function wholeOf(fields: Fields): Fields | undefined {
  const record = fields["record"]
  return typeof record === "object" && record !== null ? { ...record } : undefined
}

/** Times only say when the rest was written. */
function fieldWords(fields: Fields, nameOf: NameOf): string {
  const shown = Object.entries(fields).filter(([field]) => !field.endsWith("_at"))
  const told = shown.filter(([, value]) => value !== null)
  const parts = (told.length > 0 ? told : shown).map(([field, value]) => {
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
  status: "ended in one clone, went on in another",
  ends: "done in one clone, given up in another",
  held_twice: "taken by two sessions",
  circle: "two links that make a circle",
  anchor_key: "saved by two clones under one key",
  dropped: "taken away in one clone, needed or changed in another",
  versions: "brought along in two versions",
}
