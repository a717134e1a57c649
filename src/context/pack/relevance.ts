import { compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isKnowledge, isMemInForce, isRetiredMem } from "../../graph/lifecycle.ts"
import { isReplaced, isStale, memStatus, memsBy, type Standing } from "../../graph/mem-status.ts"
import type { Place } from "../../graph/place.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import { isByRule, isUnconfirmed } from "../../knowledge/memory/by-rule.ts"
import { confidenceAt } from "../../knowledge/memory/evidence.ts"
import { accessOf } from "../../knowledge/memory/find.ts"
import { memsOnGoneDocuments } from "../../project/document/record-file.ts"
import type { Mem } from "../../schemas/knowledge.ts"

export interface Ranked {
  mem: Mem
  score: number
  reason: string
}

/** Ranks only the newest mems and those related to the current work. Ranking all would delay each message, and add little. */
export function rankMems(
  state: GraphState,
  place: Place,
  now: number,
  branch: string | null = null,
  limits = limitsFor(0),
) {
  const near = nearMems(state, place)
  const nowIso = new Date(now).toISOString()
  const onGoneDocuments = memsOnGoneDocuments(state)
  const ofAnchors = memsOfAnchors(state)
  const isPast = (mem: Mem) => onGoneDocuments.has(mem) || (isKnowledge(mem) && isStale(mem, state, nowIso))
  const isUseful = (mem: Mem) =>
    isKnowledge(mem) &&
    !isReplaced(state, mem.id) &&
    !isPast(mem) &&
    !isOfInvalidated(state, mem) &&
    !ofAnchors.has(mem) &&
    // Corrections are shown only if recall finds them.
    mem.origin !== "correction" &&
    mem.kind !== "rule"
  const stale = [...onGoneDocuments, ...where(staleMems(state, nowIso), (mem) => !onGoneDocuments.has(mem))]
  const invalidated = invalidatedMems(state)
  const useful = new Set([
    ...where(near.keys(), isUseful),
    ...first(limits.mems, where(state.mem.by("standing", "saved").backwards(), isUseful)),
    ...first(limits.mems, where(state.mem.by("decided", ALL).backwards(), isUseful)),
    ...where(state.mem.by("scanned", ALL), isUseful),
    ...first(MAX_BY_RULE, where(state.mem.by("standing", "by rule").backwards(), isUseful)),
  ])
  const ofPlan = falsePathsOfPlan(state, place)
  const wrong = new Set([
    ...where(near.keys(), (mem) => memStatus(mem) === "false path"),
    ...first(limits.falsePaths, state.mem.by("standing", "false path").backwards()),
    ...ofPlan.keys(),
  ])
  const ranked = (mem: Mem): Ranked => {
    const { points, reason } = near.get(mem) ?? ofPlan.get(mem) ?? RECENT
    return { mem, score: (points + ownPoints(state, mem, now, branch)) * confidenceAt(mem, now), reason }
  }
  const unwanted = [
    ...state.mem.by("rule", ALL),
    ...stale,
    ...invalidated.filter((mem) => !isPast(mem)),
    ...where(ofAnchors, (mem) => !isPast(mem) && !isOfInvalidated(state, mem)),
  ].filter(isMemInForce)
  const countOf = (standing: Standing) => state.mem.by("standing", standing).size
  return {
    best: limitUnconfirmed([...useful].map(ranked).sort(byScore)).slice(0, limits.mems),
    falsePaths: [...wrong].map(ranked).sort(byScore).slice(0, limits.falsePaths),
    openDecisions: first(MAX_OPEN, state.mem.by("undecided", ALL)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    stale,
    invalidated,
    counts: {
      mems: countOf("saved") + countOf("by rule") - unwanted.length,
      falsePaths: countOf("false path"),
      openDecisions: countOf("open"),
    },
  }
}

export function limitsFor(budget: number) {
  return {
    mems: Math.max(60, Math.floor(budget / 60)),
    falsePaths: Math.max(20, Math.floor(budget / 180)),
    anchors: Math.max(30, Math.floor(budget / 125)),
  }
}

interface Nearness {
  points: number
  reason: string
}

function nearMems(state: GraphState, place: Place): Map<Mem, Nearness> {
  const near = new Map<Mem, Nearness>()
  const note = (mems: Iterable<Mem | undefined>, nearness: Nearness) => {
    for (const mem of mems) {
      if (near.size >= MAX_NEAR) return
      if (mem !== undefined && !isRetiredMem(mem) && !near.has(mem)) near.set(mem, nearness)
    }
  }
  const withIds = (ids: readonly string[]) => ids.map((id) => state.mem.get(id))

  const ofTasks = place.tasks.flatMap(({ id }) => newestBy(state, "origin_task_id", id))
  note(ofTasks, SAME_TASK)
  if (place.phase !== undefined) note(memsOfPhase(state, place.phase.id), SAME_PHASE)
  for (const { decisions } of place.tasks) note(withIds(decisions), LINKED)
  for (const mem of ofTasks) if (!isRetiredMem(mem)) note(withIds(mem.related_to), LINKED)
  for (const { id } of place.tasks) note(newestBy(state, "related_to", id), LINKED)
  for (const path of first(MAX_OF_ONE, place.files)) note(newestBy(state, "path", path), SAME_FILES)
  // Mems to which other mems link are included, because each link adds a point.
  for (const mem of first(MAX_OF_ONE, state.mem.by("leaning", ALL).backwards()))
    note(withIds(mem.related_to), RECENT)
  return near
}

function* memsOfPhase(state: GraphState, phaseId: string): Iterable<Mem> {
  const tasks = state.task.by("parent_phase_id", phaseId)
  if (tasks.size <= MAX_OF_ONE) {
    for (const { id } of tasks) yield* newestBy(state, "origin_task_id", id)
    return
  }
  for (const mem of first(MAX_NEAR, state.mem.by("in_force", ALL).backwards()))
    if (state.task.get(mem.origin_task_id ?? "")?.parent_phase_id === phaseId) yield mem
}

function newestBy(state: GraphState, index: "origin_task_id" | "related_to" | "path", key: string): Mem[] {
  return first(MAX_OF_ONE, state.mem.by(index, key).backwards())
}

function falsePathsOfPlan(state: GraphState, { plan }: Place): Map<Mem, Nearness> {
  const found = new Map<Mem, Nearness>()
  if (plan === undefined) return found
  for (const mem of first(MAX_COUNTED, state.mem.by("standing", "false path").backwards()))
    if (state.task.get(mem.origin_task_id ?? "")?.parent_plan_id === plan.id) found.set(mem, SAME_PLAN)
  return found
}

function* where(mems: Iterable<Mem>, isWanted: (mem: Mem) => boolean): Iterable<Mem> {
  for (const mem of mems) if (isWanted(mem)) yield mem
}

function ownPoints(state: GraphState, mem: Mem, now: number, branch: string | null): number {
  const ageDays = Math.max(0, (now - Date.parse(mem.created_at)) / DAY_MS)
  // Extracted mems are made all the time, so they get no points for being new.
  const newness = isByRule(mem) ? 0 : RECENCY_POINTS * 0.5 ** ageDays
  const recency = isUnconfirmed(mem) ? 0 : Math.max(LASTING_POINTS[mem.kind], newness)
  const links = first(USE_POINTS, memsBy(state, "related_to", mem.id)).length
  const use = Math.min(USE_POINTS, links + accessOf(state, mem.id).count)
  return recency + use + (branch !== null && mem.branch === branch ? BRANCH_POINTS : 0)
}

function* staleMems(state: GraphState, nowIso: string): Iterable<Mem> {
  for (const mem of first(MAX_COUNTED, state.mem.by("stale", ALL))) {
    if ((mem.stale_at ?? "") > nowIso) return
    if (isKnowledge(mem) && isStale(mem, state, nowIso)) yield mem
  }
}

function invalidatedMems(state: GraphState): Mem[] {
  const invalidated = first(MAX_COUNTED, state.mem.by("standing", "invalidated"))
  for (const { id } of first(MAX_COUNTED, state.task.by("status", "invalidated")))
    for (const mem of state.mem.by("origin_task_id", id))
      if (mem.status === "active" && mem.kind !== "false_path") invalidated.push(mem)
  return invalidated
}

function isOfInvalidated(state: GraphState, { origin_task_id }: Mem): boolean {
  return origin_task_id !== null && state.task.get(origin_task_id)?.status === "invalidated"
}

/** Mems that were extracted from an existing anchor, which says the same. */
function memsOfAnchors(state: GraphState): Set<Mem> {
  const found = new Set<Mem>()
  for (const { id } of state.anchor.by("kept", ALL))
    for (const mem of memsBy(state, "related_to", id)) if (isByRule(mem)) found.add(mem)
  return found
}

function limitUnconfirmed(ranked: Ranked[]): Ranked[] {
  let count = 0
  return ranked.filter(({ mem }) => !isUnconfirmed(mem) || ++count <= MAX_BY_RULE)
}

/** Equal scores are sorted by age, then by id, so that the same graph gives the same list. */
function byScore({ mem: a, score }: Ranked, { mem: b, score: other }: Ranked): number {
  return other - score || compare(b.created_at, a.created_at) || compare(a.id, b.id)
}

const SAME_TASK = { points: 100, reason: "from the task at hand" }
const SAME_PHASE = { points: 60, reason: "from the same phase" }
const SAME_PLAN = { points: 50, reason: "from the same plan" }
const LINKED = { points: 45, reason: "linked to the task at hand" }
const SAME_FILES = { points: 30, reason: "about the same files" }
const RECENT = { points: 0, reason: "recent" }
const DAY_MS = 24 * 3_600_000
const RECENCY_POINTS = 20
// Points that remain when a mem is old: a decision keeps its value for months, an insight does not.
const LASTING_POINTS: Record<Mem["kind"], number> = {
  decision: 10,
  pattern: 5,
  fact: 5,
  false_path: 5,
  insight: 0,
  rule: 10,
}
const USE_POINTS = 10
const BRANCH_POINTS = 3
// Only a few extracted mems are shown: they mostly repeat each other, and outnumber the saved mems.
const MAX_BY_RULE = 5
const MAX_NEAR = 2000
const MAX_OF_ONE = 500
const MAX_OPEN = 200
const MAX_COUNTED = 1000
