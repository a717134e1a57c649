import type { Op } from "../schemas/op.ts"
import { type Kind, kinds } from "../schemas/records.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { type GraphState, recordsOf } from "./state.ts"

type Fields = Record<string, unknown>

/** Names records in texts about the log: as they were called at that point of the log, or else as they are now. */
export function recordNames(state: GraphState) {
  const seen = new Map<string, { kind: Kind; fields: Fields }>()

  function find(id: string): { kind: Kind; fields: Fields } | undefined {
    const known = seen.get(id)
    if (known !== undefined) return known
    const kind = kinds.find((each) => recordsOf(state, each).has(id))
    return kind && { kind, fields: namingFields(kind, recordsOf(state, kind).get(id)) }
  }

  /** For example `"Build login"`. Undefined if no record has the id. */
  function titleOf(id: string): string | undefined {
    const found = find(id)
    if (found === undefined) return undefined
    const { kind, fields } = found
    if (kind === "trajectory") {
      const session = fields["session_id"]
      return typeof session === "string"
        ? `of session ${titleOf(session) ?? shortId(session)}`
        : "of the project"
    }
    const title = TITLE_FIELDS[kind].map((field) => fields[field]).find((value) => typeof value === "string")
    const name = shorten(String(title ?? id), MAX_TITLE)
    return STAND_ALONE.has(kind) ? name : `"${name}"`
  }

  /** For example `task "Build login"`. */
  function nameOf(kind: Kind, id: string): string {
    return `${WORDS[kind] ?? kind} ${titleOf(id) ?? shortId(id)}`
  }

  return {
    titleOf,
    nameOf,
    nameOfAny(id: string): string | undefined {
      const kind = find(id)?.kind
      return kind && nameOf(kind, id)
    },
    follow(op: Op): void {
      if (op.op === "add") seen.set(op.record.id, { kind: op.kind, fields: namingFields(op.kind, op.record) })
      if (op.op === "drop") seen.set(op.id, { kind: op.kind, fields: namingFields(op.kind, op.was) })
      if (op.op !== "set") return
      const [was, to] = [namingFields(op.kind, op.was), namingFields(op.kind, op.to)]
      seen.set(op.id, { kind: op.kind, fields: { ...was, ...find(op.id)?.fields, ...to } })
    },
  }
}

export type RecordNames = ReturnType<typeof recordNames>

/** Picks the fields that a record's name is made of, because keeping whole records would need more memory. */
function namingFields(kind: Kind, record: object | undefined): Fields {
  const fields: Fields = {}
  if (record === undefined) return fields
  for (const field of kind === "trajectory" ? ["session_id"] : TITLE_FIELDS[kind])
    if (field in record) fields[field] = (record as Fields)[field]
  return fields
}

const TITLE_FIELDS: Record<Exclude<Kind, "trajectory">, string[]> = {
  session: ["stamp"],
  plan: ["title"],
  phase: ["title"],
  task: ["title"],
  mem: ["content"],
  anchor: ["key"],
  artifact: ["path"],
  checkpoint: ["summary"],
  delegation: ["to_agent"],
  conflict: ["rule"],
  metrics: ["id"],
}

const WORDS: Partial<Record<Kind, string>> = { trajectory: "read-head", metrics: "metrics of session" }
// Kinds whose names, stamps or ids, are written without quotes.
const STAND_ALONE = new Set<Kind>(["session", "metrics"])
const MAX_TITLE = 60
