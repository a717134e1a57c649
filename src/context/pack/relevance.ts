import { isAnchorKept, isKnowledge, isMemInForce } from "../../graph/lifecycle.ts"
import { type MemIndex, memIndex } from "../../graph/mem-map.ts"
import type { Place } from "../../graph/place.ts"
import { isStale } from "../../graph/staleness.ts"
import type { GraphState } from "../../graph/state.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import { memsOnGoneDocuments } from "../../project/document/gone-documents.ts"
import type { Mem } from "../../schemas/knowledge.ts"

export interface Ranked {
  mem: Mem
  score: number
  reason: string
}

export interface Ranking {
  best: Ranked[]
  falsePaths: Ranked[]
  openDecisions: Mem[]
  stale: string[]
  invalidated: string[]
  /** How many were left behind because better ones filled the list. */
  outranked: { mems: number; falsePaths: number }
}

/**
 * Ranks the mems for a place in the graph. Runs on each user message, so it looks only at mems that are near the place
 * and at the newest ones; all others could not make it into the list.
 */
export function rankMems(state: GraphState, place: Place, now: number): Ranking {
  const index = memIndex(state.mem)
  const near = nearMems(state, place)
  const stale = staleMems(state, new Date(now).toISOString())
  const invalidated = invalidatedMems(state)
  const unwanted = new Set([...stale, ...invalidated, ...memsOfAnchors(state)])
  const candidates = candidateMems(index, near, (mem) => isKnowledge(mem) && !unwanted.has(mem))
  const ranked = (mem: Mem) => rank(mem, index, near.get(mem) ?? RECENT, now)
  const best = fewByRule([...candidates].map(ranked).sort(byScore)).slice(0, MAX_MEMS)
  const falsePaths = [...index.falsePaths].map(ranked).sort(byScore)
  const knowledge = index.newest.length - [...unwanted].filter(isMemInForce).length
  return {
    best,
    falsePaths: falsePaths.slice(0, MAX_FALSE_PATHS),
    openDecisions: [...index.openDecisions].sort((a, b) => (a.id < b.id ? -1 : 1)),
    stale: [...stale].map(({ id }) => id),
    invalidated: [...invalidated].map(({ id }) => id),
    outranked: {
      mems: Math.max(0, knowledge - best.length),
      falsePaths: Math.max(0, falsePaths.length - MAX_FALSE_PATHS),
    },
  }
}

/** Those near the place, and as many of the newest as the list could take. */
function candidateMems(
  index: MemIndex,
  near: ReadonlyMap<Mem, Nearness>,
  isUseful: (mem: Mem) => boolean,
): Set<Mem> {
  const candidates = new Set([...near.keys()].filter(isUseful))
  let saved = 0
  let byRule = 0
  for (const mem of index.newest) {
    if (saved === MAX_MEMS) break
    if (!isUseful(mem) || (isByRule(mem) && byRule === MAX_BY_RULE)) continue
    candidates.add(mem)
    if (isByRule(mem)) byRule++
    else saved++
  }
  return candidates
}

function rank(mem: Mem, index: MemIndex, { points, reason }: Nearness, now: number): Ranked {
  const ageDays = Math.max(0, (now - Date.parse(mem.created_at)) / DAY_MS)
  // New mems are made by rule all the time: that one is new says nothing for it.
  const recency = isByRule(mem) ? 0 : RECENCY_POINTS * 0.5 ** ageDays
  const use = Math.min(USE_POINTS, index.byRelated.get(mem.id)?.size ?? 0)
  const decay = Math.max(MIN_CONFIDENCE, 0.5 ** (ageDays / CONFIDENCE_HALF_LIFE_DAYS))
  return { mem, score: (points + recency + use) * mem.confidence * decay, reason }
}

interface Nearness {
  points: number
  reason: string
}

/** Mems that have to do with the place, each with its nearest tie. */
function nearMems(state: GraphState, place: Place): Map<Mem, Nearness> {
  const index = memIndex(state.mem)
  const near = new Map<Mem, Nearness>()
  const note = (mems: Iterable<Mem | undefined>, nearness: Nearness) => {
    for (const mem of mems) if (mem !== undefined && !near.has(mem)) near.set(mem, nearness)
  }
  const taskIds = place.tasks.map((task) => task.id)
  const ofTasks = taskIds.flatMap((id) => [...(index.byTask.get(id) ?? [])])
  note(ofTasks, SAME_TASK)
  if (place.phase !== undefined) {
    for (const task of state.task.values()) {
      if (task.parent_phase_id === place.phase.id) note(index.byTask.get(task.id) ?? [], SAME_PHASE)
    }
  }
  const linkedIds = [
    ...place.tasks.flatMap((task) => task.decisions),
    ...ofTasks.flatMap((mem) => mem.related_to),
  ]
  note(
    linkedIds.map((id) => state.mem.get(id)),
    LINKED,
  )
  for (const id of taskIds) note(index.byRelated.get(id) ?? [], LINKED)
  for (const path of place.files) note(index.byPath.get(path) ?? [], SAME_FILES)
  // Leaned on by others: a few points more than merely recent ones, wherever they are from.
  for (const id of index.byRelated.keys()) note([state.mem.get(id)], RECENT)
  return near
}

/** Past their time, or resting on a document that nobody goes by any more. */
function staleMems(state: GraphState, nowIso: string): Set<Mem> {
  const stale = memsOnGoneDocuments(state)
  for (const mem of memIndex(state.mem).byStaleness) {
    if ((mem.stale_at ?? "") > nowIso) break
    if (isStale(mem, state, nowIso)) stale.add(mem)
  }
  return stale
}

/** Mems that were taken back, or whose task was. */
function invalidatedMems(state: GraphState): Set<Mem> {
  const index = memIndex(state.mem)
  const invalidated = new Set(index.invalidated)
  for (const task of state.task.values()) {
    if (task.status !== "invalidated") continue
    for (const mem of index.byTask.get(task.id) ?? []) if (mem.kind !== "false_path") invalidated.add(mem)
  }
  return invalidated
}

/** Mems that a rule has made of an anchor which is still there: the anchor says the same. */
function memsOfAnchors(state: GraphState): Set<Mem> {
  const { byRelated } = memIndex(state.mem)
  const repeating = new Set<Mem>()
  for (const anchor of state.anchor.values()) {
    if (!isAnchorKept(anchor)) continue
    for (const mem of byRelated.get(anchor.id) ?? []) if (isByRule(mem)) repeating.add(mem)
  }
  return repeating
}

/** Rules make mems faster than people save them: however near they are, they must not fill the list. */
function fewByRule(ranked: Ranked[]): Ranked[] {
  let byRule = 0
  return ranked.filter(({ mem }) => !isByRule(mem) || ++byRule <= MAX_BY_RULE)
}

/** Ties go by age, then by id, so that the same graph gives the same list. */
function byScore(a: Ranked, b: Ranked): number {
  const isNewer = (one: Mem, other: Mem) =>
    one.created_at === other.created_at ? one.id < other.id : one.created_at > other.created_at
  return b.score - a.score || (isNewer(a.mem, b.mem) ? -1 : 1)
}

const SAME_TASK = { points: 100, reason: "from the task at hand" }
const SAME_PHASE = { points: 60, reason: "from the same phase" }
const LINKED = { points: 45, reason: "linked to the task at hand" }
const SAME_FILES = { points: 30, reason: "about the same files" }
const RECENT = { points: 0, reason: "recent" }
const DAY_MS = 24 * 3_600_000
const RECENCY_POINTS = 20
const USE_POINTS = 10
const MIN_CONFIDENCE = 0.3
const CONFIDENCE_HALF_LIFE_DAYS = 30
const MAX_MEMS = 60
// Most of what they say is said twice: by the commit, by its task, and by the turns around both.
const MAX_BY_RULE = 5
const MAX_FALSE_PATHS = 20
