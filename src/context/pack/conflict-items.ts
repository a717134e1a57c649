import { standingConflicts } from "../../graph/conflict-standing.ts"
import { describeConflict } from "../../graph/conflict-words.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { callText } from "../../shared/tool-names.ts"
import { wordings } from "./fit.ts"
import { type Dropped, droppedItems, type Item, type ItemRef } from "./item.ts"

/** What clones have written that cannot both hold, until somebody decides; the oldest first. */
export function conflictItems(state: GraphState): { items: Item[]; dropped: Dropped[] } {
  const standing = standingConflicts(state)
  const more = standing.slice(MAX_SHOWN)
  return {
    items: standing.slice(0, MAX_SHOWN).map((conflict) => conflictItem(state, conflict)),
    dropped: more.length === 0 ? [] : [droppedItems("conflicts", "older ones first", more, conflictRef)],
  }
}

/** One of them, shown or not. */
export function singleConflictItem(state: GraphState, id: string): Item | undefined {
  const conflict = state.conflict.get(id)
  return conflict && conflictItem(state, conflict)
}

function conflictItem(state: GraphState, conflict: Conflict): Item {
  const { record, stands, lost } = describeConflict(conflict, state)
  const identity = { id: shortId(conflict.id) }
  const shown = { ...identity, settle: SETTLE }
  // In XML a double quote takes six characters.
  const words = `${record}: ${stands} stands; another clone had: ${lost}`.replaceAll('"', "'")
  return {
    ...conflictRef(conflict),
    identity,
    section: "conflicts",
    // After the work at hand, before what is only good to know.
    worth: 770,
    reason: "two clones disagree",
    ...wordings(WIDTHS, (max) => element("conflict", shown, shorten(words, max))),
  }
}

function conflictRef({ id }: Conflict): ItemRef {
  return { kind: "conflict", id, role: "conflict" }
}

const SETTLE = `${callText("session", "settle")}, take: kept or lost`
const MAX_SHOWN = 3
const WIDTHS = [300, 140, 80]
