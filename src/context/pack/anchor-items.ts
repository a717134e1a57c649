import type { GraphState } from "../../graph/state.ts"
import { type ScoredAnchor, scoreAnchors, staleAnchors } from "../../knowledge/anchor/staleness.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { type Dropped, droppedItems, type Item, wordings } from "./item.ts"
import type { KnowledgeInput } from "./knowledge-items.ts"
import type { Sources } from "./pack.ts"

/** At most `limit` anchors, critical ones first (age must not hide them); for a subagent only the critical ones. */
export function anchorItems(
  { state, place, now, files, isScoped }: KnowledgeInput,
  limit: number,
): { items: Item[]; dropped: Dropped } {
  const anchors = scoreAnchors(state, place, now)
  const critical = anchors.filter(({ anchor }) => anchor.priority === "critical")
  const others = isScoped ? [] : anchors.filter((scored) => !critical.includes(scored))
  const chosen = new Set([...critical, ...others].slice(0, limit))
  const shown = anchors.filter((scored) => chosen.has(scored))
  const unmarked = new Set(
    staleAnchors(
      state,
      files,
      now,
      shown.map(({ anchor }) => anchor),
    ).map(({ anchor }) => anchor),
  )
  const hidden = anchors.filter((scored) => !chosen.has(scored))
  return {
    items: shown.map((scored) => anchorItem(scored, scored.isStale || unmarked.has(scored.anchor))),
    dropped: droppedItems("anchors", "less important", hidden, ({ anchor }) => ({
      kind: "anchor",
      id: anchor.id,
      role: "anchor",
    })),
  }
}

export function singleAnchorItem(
  state: GraphState,
  id: string,
  reason: string,
  { now, files }: Pick<Sources, "now" | "files">,
): Item | undefined {
  const anchor = state.anchor.get(id)
  if (anchor === undefined) return undefined
  const isStale = anchor.status === "stale" || staleAnchors(state, files, now, [anchor]).length > 0
  return anchorItem({ anchor, score: 0, reason }, isStale)
}

function anchorItem({ anchor, score, reason }: Omit<ScoredAnchor, "isStale">, isStale: boolean): Item {
  const identity = { key: anchor.key }
  const shown = { ...identity, priority: anchor.priority, stale: isStale ? "yes" : undefined }
  return {
    kind: "anchor",
    id: anchor.id,
    role: "anchor",
    identity,
    section: "anchors",
    // Critical anchors come before any mem.
    worth: anchor.priority === "critical" ? 700 + score / 10 : 300 + score * 2.2,
    reason,
    ...wordings([800, 200, 70], (max) => element("anchor", shown, shorten(anchor.value, max))),
  }
}
