import { ALL } from "../../graph/indexes.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { wordings } from "./fit.ts"
import type { Item } from "./item.ts"

/** Work that was handed on and is under way. */
export function delegationItems(state: GraphState): Item[] {
  const open = first(MAX_DELEGATIONS, state.delegation.by("open", ALL)).sort((a, b) => (a.id < b.id ? -1 : 1))
  return open.map((delegation): Item => {
    const title = state.task.get(delegation.task_id)?.title ?? ""
    const identity = { id: shortId(delegation.id) }
    const shown = { ...identity, to: delegation.to_agent, status: delegation.status }
    return {
      kind: "delegation",
      id: delegation.id,
      role: "delegation",
      identity,
      section: "delegations",
      worth: 480,
      reason: "under way",
      ...wordings([120, 60], (max) => element("delegation", shown, shorten(title, max))),
    }
  })
}

// More than there could ever be room for.
export const MAX_DELEGATIONS = 200
