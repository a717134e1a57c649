import type { Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import { type ScoredAnchor, scoreAnchors } from "../../knowledge/anchor/score.ts"
import { staleAnchors } from "../../knowledge/anchor/staleness.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { wordings } from "./fit.ts"
import { type Dropped, droppedItems, type Item, type ItemRef } from "./item.ts"

export interface AnchorInput {
  state: GraphState
  place: Place
  now: number
  files: FileLook
  /** For a subagent: only the critical ones. */
  isScoped: boolean
}

/** The anchors that are shown, at most so many, and those that are not. */
export function anchorItems(input: AnchorInput, most: number): { items: Item[]; dropped: Dropped } {
  const { state, place, now, files, isScoped } = input
  const anchors = scoreAnchors(state, place, now)
  const shown = chooseAnchors(anchors, isScoped, most)
  // Stale, but not marked so yet. Only what is shown is worth a look at its files.
  const stale = staleAnchors(
    state,
    files,
    now,
    shown.map(({ anchor }) => anchor),
  )
  const unmarked = new Set(stale.map(({ anchor }) => anchor))
  const hidden = anchors.filter((scored) => !shown.includes(scored))
  return {
    items: shown.map((scored) => anchorItem(scored, unmarked.has(scored.anchor))),
    dropped: droppedItems("anchors", "less important", hidden, anchorRef),
  }
}

/** One of them, shown or not. */
export function singleAnchorItem(
  { state, now, files }: Pick<AnchorInput, "state" | "now" | "files">,
  id: string,
  reason: string,
): Item | undefined {
  const anchor = state.anchor.get(id)
  if (anchor === undefined) return undefined
  const isStale = anchor.status === "stale" || staleAnchors(state, files, now, [anchor]).length > 0
  return anchorItem({ anchor, score: 0, isStale, reason }, false)
}

/** The critical ones before all others: the score goes down with age, and they must never be forgotten. */
function chooseAnchors(anchors: readonly ScoredAnchor[], isScoped: boolean, most: number): ScoredAnchor[] {
  const isCritical = ({ anchor }: ScoredAnchor) => anchor.priority === "critical"
  const others = isScoped ? [] : anchors.filter((scored) => !isCritical(scored))
  const chosen = new Set([...anchors.filter(isCritical), ...others].slice(0, most))
  return anchors.filter((scored) => chosen.has(scored))
}

function anchorItem({ anchor, score, isStale, reason }: ScoredAnchor, isUnmarked: boolean): Item {
  const stale = isStale || isUnmarked ? "yes" : undefined
  const identity = { key: anchor.key }
  const shown = { ...identity, priority: anchor.priority, stale }
  return {
    kind: "anchor",
    id: anchor.id,
    role: "anchor",
    identity,
    section: "anchors",
    // What must never be forgotten comes before any mem.
    worth: anchor.priority === "critical" ? 700 + score / 10 : 300 + score * 2.2,
    reason,
    ...wordings(WIDTHS, (max) => element("anchor", shown, shorten(anchor.value, max))),
  }
}

function anchorRef({ anchor }: ScoredAnchor): ItemRef {
  return { kind: "anchor", id: anchor.id, role: "anchor" }
}

const WIDTHS = [800, 200, 70]
