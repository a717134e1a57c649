import { ALL } from "../../graph/indexes.ts"
import { isDoneTask, isGivenUpTask } from "../../graph/lifecycle.ts"
import type { Place } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { FileStatusLookup } from "../../project/document/file-status.ts"
import type { Anchor } from "../../schemas/knowledge.ts"
import { HOUR_MS } from "../../shared/time.ts"

/**
 * Finds anchors that are stale although their record does not say so, each with its most important reason.
 * `watch/validation.ts` marks the record for a changed file or an ended task; age is computed on each read instead.
 */
export function staleAnchors(
  state: GraphState,
  files: FileStatusLookup,
  now: number,
  anchors: Iterable<Anchor> = state.anchor.by("kept", ALL),
) {
  const stale: { anchor: Anchor; why: "file" | "task" | "age" }[] = []
  for (const anchor of anchors) {
    if (anchor.status !== "active") continue
    if (hasChangedFile(state, anchor, files)) stale.push({ anchor, why: "file" })
    else if (hasEndedTask(state, anchor)) stale.push({ anchor, why: "task" })
    else if (isOld(anchor, now)) stale.push({ anchor, why: "age" })
  }
  return stale
}

export function isAnchorStale(
  state: GraphState,
  anchor: Anchor,
  files: FileStatusLookup,
  now: number,
): boolean {
  return anchor.status === "stale" || staleAnchors(state, files, now, [anchor]).length > 0
}

export function isOld(anchor: Anchor, now: number): boolean {
  return now - Date.parse(anchor.updated_at) > FRESH_HOURS * HOUR_MS
}

function hasChangedFile(state: GraphState, anchor: Anchor, files: FileStatusLookup): boolean {
  return anchor.related_to.some((id) => {
    const artifact = state.artifact.get(id)
    if (artifact === undefined || artifact.hash === null) return false
    const now = files(artifact.path)
    return now !== undefined && now?.hash !== artifact.hash
  })
}

/** True if a related task has ended since the anchor's last update. An earlier end was already known at that update. */
function hasEndedTask(state: GraphState, { related_to, type, updated_at }: Anchor): boolean {
  return related_to.some((id) => {
    const task = state.task.get(id)
    if (task === undefined || task.updated_at <= updated_at) return false
    return isGivenUpTask(task) || (type === "task" && isDoneTask(task))
  })
}

export interface ScoredAnchor {
  anchor: Anchor
  score: number
  isStale: boolean
  reason: string
}

export function scoreAnchors(state: GraphState, place: Place, now: number): ScoredAnchor[] {
  const scored: ScoredAnchor[] = []
  for (const anchor of state.anchor.by("kept", ALL)) {
    const ageHours = (now - Date.parse(anchor.updated_at)) / HOUR_MS
    const isStale = anchor.status === "stale" || isOld(anchor, now)
    const depth = depthOf(state, anchor, place)
    const freshness = isStale ? 0 : Math.max(0, FRESH_HOURS - Math.max(0, ageHours))
    const score = PRIORITY_POINTS[anchor.priority] + freshness - depth * DEPTH_POINTS
    const reason = `${anchor.priority}, ${DEPTH_NAMES[depth]}${isStale ? ", stale" : ""}`
    scored.push({ anchor, score, isStale, reason })
  }
  return scored.sort((a, b) => b.score - a.score || a.anchor.id.localeCompare(b.anchor.id))
}

function depthOf(state: GraphState, anchor: Anchor, { plan, phase, tasks, files }: Place): 0 | 1 | 2 {
  if (anchor.related_to.length === 0) return 1
  const direct = new Set([plan?.id, phase?.id, ...tasks.map((task) => task.id)])
  const artifacts = anchor.related_to.flatMap((id) => state.artifact.get(id) ?? [])
  if (anchor.related_to.some((id) => direct.has(id)) || artifacts.some(({ path }) => files.has(path)))
    return 0
  const isInPlan = anchor.related_to.some((id) => {
    const planOfRecord = state.task.get(id)?.parent_plan_id ?? state.phase.get(id)?.parent_plan_id
    return planOfRecord !== undefined && planOfRecord === plan?.id
  })
  // A document without a plan belongs to the whole project.
  return isInPlan || artifacts.some(({ plan_id }) => plan_id === null || plan_id === plan?.id) ? 1 : 2
}

export const FRESH_HOURS = 48
const PRIORITY_POINTS = { critical: 100, high: 75, medium: 50, low: 25 }
const DEPTH_POINTS = 10
const DEPTH_NAMES = ["about the current work", "about the whole project or this plan", "about another plan"]
