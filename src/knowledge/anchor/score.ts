import { ALL } from "../../graph/indexes.ts"
import type { Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { FRESH_HOURS, isOld } from "./staleness.ts"

export interface ScoredAnchor {
  anchor: Anchor
  score: number
  isStale: boolean
  reason: string
}

/** Anchors by priority, freshness and distance from the read-head, the highest first. */
export function scoreAnchors(state: GraphState, place: Place, now: number): ScoredAnchor[] {
  const direct = new Set([place.plan?.id, place.phase?.id, ...place.tasks.map((task) => task.id)])
  const scored: ScoredAnchor[] = []
  for (const anchor of state.anchor.by("kept", ALL)) {
    const ageHours = (now - Date.parse(anchor.updated_at)) / HOUR_MS
    const isStale = anchor.status === "stale" || isOld(anchor, now)
    const depth = depthOf(state, anchor, place, direct)
    const freshness = isStale ? 0 : Math.max(0, FRESH_HOURS - Math.max(0, ageHours))
    const score = PRIORITY_POINTS[anchor.priority] + freshness - depth * DEPTH_POINTS
    const where = ["about what is at hand", "about the whole project or this plan", "about another plan"][
      depth
    ]
    scored.push({ anchor, score, isStale, reason: `${anchor.priority}, ${where}${isStale ? ", stale" : ""}` })
  }
  return scored.sort((a, b) => b.score - a.score || a.anchor.id.localeCompare(b.anchor.id))
}

function depthOf(
  state: GraphState,
  anchor: Anchor,
  place: Place,
  direct: Set<string | undefined>,
): 0 | 1 | 2 {
  if (anchor.related_to.length === 0) return 1
  const files = anchor.related_to.flatMap((id) => state.artifact.get(id) ?? [])
  if (anchor.related_to.some((id) => direct.has(id)) || files.some(({ path }) => place.files.has(path)))
    return 0
  const planId = place.plan?.id
  const isNear = anchor.related_to.some((id) => {
    const planOfRecord = state.task.get(id)?.parent_plan_id ?? state.phase.get(id)?.parent_plan_id
    return planOfRecord !== undefined && planOfRecord === planId
  })
  // A file that no plan claims belongs to the whole project.
  return isNear || files.some(({ plan_id }) => plan_id === null || plan_id === planId) ? 1 : 2
}

const PRIORITY_POINTS = { critical: 100, high: 75, medium: 50, low: 25 }
const DEPTH_POINTS = 10
