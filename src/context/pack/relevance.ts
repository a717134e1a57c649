import { ALL } from "../../graph/indexes.ts"
import { isKnowledge, isMemInForce } from "../../graph/lifecycle.ts"
import { isReplaced, type Standing, standingOf } from "../../graph/mem-standing.ts"
import { memsBy } from "../../graph/mems-by.ts"
import type { Place } from "../../graph/place.ts"
import { first } from "../../graph/record-map.ts"
import { isStale } from "../../graph/staleness.ts"
import type { GraphState } from "../../graph/state.ts"
import { accessOf } from "../../knowledge/memory/access.ts"
import { isByRule, isUnconfirmed } from "../../knowledge/memory/by-rule.ts"
import { confidenceAt } from "../../knowledge/memory/confidence.ts"
import { memsOnGoneDocuments } from "../../project/document/gone-documents.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type Nearness, nearMems, RECENT } from "./near-mems.ts"

export interface Ranked {
  mem: Mem
  score: number
  reason: string
}

export interface Ranking {
  best: Ranked[]
  falsePaths: Ranked[]
  /** As many as there could ever be room for. */
  openDecisions: Mem[]
  stale: Mem[]
  invalidated: Mem[]
  /** How many were left behind because better ones filled the list. */
  outranked: { mems: number; falsePaths: number; openDecisions: number }
}

/**
 * Ranks the mems for a place in the graph. Runs on each user message, so it looks only at mems that are near the place
 * and at the newest ones; all others could not make it into the list.
 */
export function rankMems(
  state: GraphState,
  place: Place,
  now: number,
  branch: string | null = null,
  limits: RankLimits = limitsFor(0),
): Ranking {
  const near = nearMems(state, place)
  const nowIso = new Date(now).toISOString()
  const misled = memsOnGoneDocuments(state)
  const repeating = memsOfAnchors(state)
  const isPast = (mem: Mem) => misled.has(mem) || (isKnowledge(mem) && isStale(mem, state, nowIso))
  const isUseful = (mem: Mem) =>
    isKnowledge(mem) &&
    !isReplaced(state, mem.id) &&
    !isPast(mem) &&
    !isOfInvalidated(state, mem) &&
    !repeating.has(mem)
  const stale = [...misled, ...filtered(staleMems(state, nowIso), (mem) => !misled.has(mem))]
  const invalidated = invalidatedMems(state)
  const useful = new Set([
    ...filtered(near.keys(), isUseful),
    ...first(limits.mems, filtered(state.mem.by("standing", "saved").backwards(), isUseful)),
    ...first(limits.mems, filtered(state.mem.by("decided", ALL).backwards(), isUseful)),
    ...filtered(state.mem.by("scanned", ALL), isUseful),
    ...first(MAX_BY_RULE, filtered(state.mem.by("standing", "by rule").backwards(), isUseful)),
  ])
  const ofPlan = falsePathsOfPlan(state, place)
  const wrong = new Set([
    ...filtered(near.keys(), (mem) => standingOf(mem) === "false path"),
    ...first(limits.falsePaths, state.mem.by("standing", "false path").backwards()),
    ...ofPlan.keys(),
  ])
  const ranked = (mem: Mem) => rank(mem, state, near.get(mem) ?? ofPlan.get(mem) ?? RECENT, { now, branch })
  const best = fewByRule([...useful].map(ranked).sort(byScore)).slice(0, limits.mems)
  const openDecisions = first(MAX_OPEN, state.mem.by("undecided", ALL)).sort((a, b) => (a.id < b.id ? -1 : 1))
  // Those that are unwanted for several reasons count once.
  const unwanted = [
    ...stale,
    ...invalidated.filter((mem) => !isPast(mem)),
    ...filtered(repeating, (mem) => !isPast(mem) && !isOfInvalidated(state, mem)),
  ].filter(isMemInForce)
  const knowledge = sizeOf(state, "saved") + sizeOf(state, "by rule") - unwanted.length
  const falsePaths = [...wrong].map(ranked).sort(byScore).slice(0, limits.falsePaths)
  return {
    best,
    falsePaths,
    openDecisions,
    stale,
    invalidated,
    outranked: {
      mems: Math.max(0, knowledge - best.length),
      falsePaths: Math.max(0, sizeOf(state, "false path") - falsePaths.length),
      openDecisions: sizeOf(state, "open") - openDecisions.length,
    },
  }
}

/** How many could have room in a budget of so many tokens, in a wording that says something. */
export function limitsFor(budget: number): RankLimits {
  return {
    mems: Math.max(60, Math.floor(budget / 60)),
    falsePaths: Math.max(20, Math.floor(budget / 180)),
    anchors: Math.max(30, Math.floor(budget / 125)),
  }
}

export interface RankLimits {
  mems: number
  falsePaths: number
  anchors: number
}

/** What has failed in the same plan: of many, the newest. */
function falsePathsOfPlan(state: GraphState, { plan }: Place): Map<Mem, Nearness> {
  const found = new Map<Mem, Nearness>()
  if (plan === undefined) return found
  for (const mem of first(MAX_COUNTED, state.mem.by("standing", "false path").backwards()))
    if (state.task.get(mem.origin_task_id ?? "")?.parent_plan_id === plan.id) found.set(mem, SAME_PLAN)
  return found
}

function sizeOf(state: GraphState, standing: Standing): number {
  return state.mem.by("standing", standing).size
}

function* filtered(mems: Iterable<Mem>, isWanted: (mem: Mem) => boolean): Iterable<Mem> {
  for (const mem of mems) if (isWanted(mem)) yield mem
}

function rank(
  mem: Mem,
  state: GraphState,
  { points, reason }: Nearness,
  { now, branch }: { now: number; branch: string | null },
): Ranked {
  const ageDays = Math.max(0, (now - Date.parse(mem.created_at)) / DAY_MS)
  // New mems are made by rule all the time: that one is new says nothing for it.
  const newness = isByRule(mem) ? 0 : RECENCY_POINTS * 0.5 ** ageDays
  const recency = isUnconfirmed(mem) ? 0 : Math.max(LASTING_POINTS[mem.kind], newness)
  const linked = first(USE_POINTS, memsBy(state, "related_to", mem.id)).length
  const use = Math.min(USE_POINTS, linked + accessOf(state, mem.id).count)
  const here = branch !== null && mem.branch === branch ? BRANCH_POINTS : 0
  return { mem, score: (points + recency + use + here) * confidenceAt(mem, now), reason }
}

function* staleMems(state: GraphState, nowIso: string): Iterable<Mem> {
  for (const mem of first(MAX_COUNTED, state.mem.by("stale", ALL))) {
    if ((mem.stale_at ?? "") > nowIso) return
    if (isKnowledge(mem) && isStale(mem, state, nowIso)) yield mem
  }
}

/** Mems that were taken back, or whose task was. */
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

/** Mems that a rule has made of an anchor which is still there: the anchor says the same. */
function memsOfAnchors(state: GraphState): Set<Mem> {
  const repeating = new Set<Mem>()
  for (const { id } of state.anchor.by("kept", ALL))
    for (const mem of memsBy(state, "related_to", id)) if (isByRule(mem)) repeating.add(mem)
  return repeating
}

/** Rules make mems faster than people save them: however near they are, they must not fill the list. */
function fewByRule(ranked: Ranked[]): Ranked[] {
  let byRule = 0
  return ranked.filter(({ mem }) => !isUnconfirmed(mem) || ++byRule <= MAX_BY_RULE)
}

/** Ties go by age, then by id, so that the same graph gives the same list. */
function byScore(a: Ranked, b: Ranked): number {
  const isNewer = (one: Mem, other: Mem) =>
    one.created_at === other.created_at ? one.id < other.id : one.created_at > other.created_at
  return b.score - a.score || (isNewer(a.mem, b.mem) ? -1 : 1)
}

const DAY_MS = 24 * 3_600_000
const RECENCY_POINTS = 20
// Of recency, what is left in the end: a decision is worth as much in a month, a note of the day is not.
const LASTING_POINTS: Record<Mem["kind"], number> = {
  decision: 10,
  pattern: 5,
  fact: 5,
  false_path: 5,
  insight: 0,
}
const USE_POINTS = 10
const SAME_PLAN: Nearness = { points: 50, reason: "from the same plan" }
// Tips the scale between equals, and no more: what holds on one branch mostly holds on the others.
const BRANCH_POINTS = 3
// Most of what they say is said twice: by the commit, by its task, and by the turns around both.
const MAX_BY_RULE = 5
const MAX_OPEN = 200
// A fold soon puts away what is past its time, so there are hardly ever more.
const MAX_COUNTED = 1000
