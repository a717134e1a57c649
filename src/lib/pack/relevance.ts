import type { Mem } from "../../schemas/knowledge.ts"
import type { GraphState } from "../graph/state.ts"
import { isStale } from "../memory/staleness.ts"
import type { Place } from "./place.ts"

export interface Ranked {
  mem: Mem
  score: number
  reason: string
}

/** What is known of a mem's evidence: true holds, false has changed, undefined cannot be told. */
export type EvidenceCheck = (evidence: string) => boolean | undefined

export interface Ranking {
  best: Ranked[]
  falsePaths: Ranked[]
  openDecisions: Mem[]
  stale: string[]
  contaminated: string[]
  /** How many were left behind because better ones filled the list. */
  outranked: { mems: number; falsePaths: number }
}

/**
 * Ranks every hot mem for a place in the graph. Runs on each user message over all of them, so it does arithmetic
 * only, keeps the best few as it goes, and leaves wording to others.
 */
export function rankMems(state: GraphState, place: Place, now: number): Ranking {
  const taskIds = new Set(place.tasks.map((task) => task.id))
  const linked = linkedIds(state, place, taskIds)
  const uses = usesOf(state)
  const best = topList<Ranked>(MAX_MEMS)
  const falsePaths = topList<Ranked>(MAX_FALSE_PATHS)
  const ranking: Ranking = {
    best: best.items,
    falsePaths: falsePaths.items,
    openDecisions: [],
    stale: [],
    contaminated: [],
    outranked: { mems: 0, falsePaths: 0 },
  }

  for (const mem of state.mem.values()) {
    if (mem.status === "superseded" || mem.status === "purged") continue
    if (mem.kind !== "false_path" && mem.status === "active" && mem.resolved === false) {
      ranking.openDecisions.push(mem)
      continue
    }
    const origin = mem.origin_task_id === null ? undefined : state.task.get(mem.origin_task_id)
    const isContaminated = mem.status === "invalidated" || origin?.status === "invalidated"
    if (mem.kind !== "false_path" && isContaminated) {
      ranking.contaminated.push(mem.id)
      continue
    }
    if (mem.kind !== "false_path" && isStale(mem, state, now)) {
      ranking.stale.push(mem.id)
      continue
    }
    const [nearness, reason] = nearnessOf(mem, origin?.parent_phase_id, place, taskIds, linked)
    const age = (now - createdAt(mem)) / DAY_MS
    const recency = RECENCY_POINTS * 0.5 ** Math.max(0, age)
    const use = Math.min(USE_POINTS, uses.get(mem.id) ?? 0)
    const confidence =
      mem.confidence * Math.max(MIN_CONFIDENCE, 0.5 ** (Math.max(0, age) / CONFIDENCE_HALF_LIFE_DAYS))
    const score = (nearness + recency + use) * confidence
    if (mem.kind === "false_path") falsePaths.offer({ mem, score, reason })
    else best.offer({ mem, score, reason })
  }
  ranking.outranked = { mems: best.refused(), falsePaths: falsePaths.refused() }
  return ranking
}

function nearnessOf(
  mem: Mem,
  phaseId: string | undefined,
  place: Place,
  taskIds: Set<string>,
  linked: Set<string>,
): [number, string] {
  if (mem.origin_task_id !== null && taskIds.has(mem.origin_task_id)) return [100, "from the task at hand"]
  if (phaseId !== undefined && phaseId === place.phase?.id) return [60, "from the same phase"]
  if (linked.has(mem.id) || mem.related_to.some((id) => taskIds.has(id)))
    return [45, "linked to the task at hand"]
  if (mem.evidence.some((each) => place.files.has(pathOf(each)))) return [30, "about the same files"]
  return [0, "recent"]
}

/** Mems that the tasks at hand name, and those that their own mems name. */
function linkedIds(state: GraphState, place: Place, taskIds: Set<string>): Set<string> {
  const linked = new Set(place.tasks.flatMap((task) => task.decisions))
  if (taskIds.size === 0) return linked
  for (const mem of state.mem.values()) {
    if (mem.origin_task_id === null || !taskIds.has(mem.origin_task_id)) continue
    for (const id of mem.related_to) linked.add(id)
  }
  return linked
}

/** How often other records lean on a mem. */
function usesOf(state: GraphState): Map<string, number> {
  const uses = new Map<string, number>()
  const note = (id: string) => uses.set(id, (uses.get(id) ?? 0) + 1)
  for (const mem of state.mem.values()) for (const id of mem.related_to) note(id)
  for (const task of state.task.values()) for (const id of task.decisions) note(id)
  return uses
}

/** The best few of many, best first; ties go by id, so that the same graph gives the same list. */
function topList<T extends Ranked>(max: number) {
  const items: T[] = []
  let refused = 0
  const isBetter = (a: T, b: T) => a.score > b.score || (a.score === b.score && a.mem.id < b.mem.id)
  return {
    items,
    refused: () => refused,
    offer(item: T): void {
      const last = items[items.length - 1]
      if (items.length >= max && last !== undefined && !isBetter(item, last)) {
        refused++
        return
      }
      let at = items.length
      while (at > 0 && isBetter(item, items[at - 1] as T)) at--
      items.splice(at, 0, item)
      if (items.length > max) {
        items.pop()
        refused++
      }
    },
  }
}

export function pathOf(evidence: string): string {
  const at = evidence.lastIndexOf("@")
  return at > 0 ? evidence.slice(0, at) : evidence
}

/** Parsing ten thousand dates takes longer than all the rest; records never change, so each is parsed once. */
function createdAt(mem: Mem): number {
  const known = parsedDates.get(mem)
  if (known !== undefined) return known
  const parsed = Date.parse(mem.created_at)
  parsedDates.set(mem, parsed)
  return parsed
}

const parsedDates = new WeakMap<Mem, number>()
const DAY_MS = 24 * 3_600_000
const RECENCY_POINTS = 20
const USE_POINTS = 10
const MIN_CONFIDENCE = 0.3
const CONFIDENCE_HALF_LIFE_DAYS = 30
const MAX_MEMS = 60
const MAX_FALSE_PATHS = 20
