import { type Link, linksFrom } from "../../graph/links.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"

export interface Linked {
  /** The field that holds the link; for one from elsewhere with its kind, such as `mem.origin_task_id`. */
  field: string
  kind: Kind
  id: string
}

/** The links from a record and to it, newest first, without those that make up the tree. */
export function linksOf(state: GraphState, kind: Kind, record: AnyRecord): { to: Linked[]; from: Linked[] } {
  const to = crossLinks(kind).flatMap((link) =>
    link
      .ids(record)
      .filter((id) => id !== null)
      .map((id) => ({ field: link.field, kind: link.to === "any" ? kindOf(state, id) : link.to, id })),
  )
  const pointing = kinds.flatMap((each) =>
    crossLinks(each).filter((link) => link.to === kind || link.to === "any"),
  )
  const from = pointing.flatMap((link) =>
    [...recordsOf(state, link.from).values()]
      .filter((other) => link.ids(other).includes(record.id))
      .map(({ id }) => ({ field: `${link.from}.${link.field}`, kind: link.from, id }))
      .reverse(),
  )
  return { to, from }
}

/** Only mems move to the archive, so an id that the graph does not have is a mem's. */
export function kindOf(state: GraphState, id: string): Kind {
  return kinds.find((kind) => recordsOf(state, kind).has(id)) ?? "mem"
}

function crossLinks(kind: Kind): Link[] {
  return linksFrom(kind).filter(({ field }) => !TREE_FIELDS.has(field))
}

const TREE_FIELDS = new Set(["parent_plan_id", "parent_phase_id", "parent_task_id"])
