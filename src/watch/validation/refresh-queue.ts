import { ALL } from "../../graph/indexes.ts"
import { isDonePhase, isKnowledge, isOpenPlan, isOpenTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { FRESH_HOURS } from "../../knowledge/anchor/staleness.ts"
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import { shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"

export interface ToRefresh {
  kind: "mem" | "anchor"
  id: string
  title: string
  /** When it goes stale, or went. */
  stale_at: string
}

/**
 * What should be looked at again: knowledge that open work leans on and that is stale, and what will be soon (within a
 * quarter of its life, at most 12 hours) unless all it belongs to is over. The most urgent first.
 */
export function refreshQueue(state: GraphState, now: number): ToRefresh[] {
  const anchors = [...state.anchor.by("kept", ALL)].flatMap((anchor) => dueAnchor(state, anchor, now) ?? [])
  return [...dueMems(state, now), ...anchors]
    .sort((a, b) => (a.stale_at < b.stale_at ? -1 : a.stale_at > b.stale_at ? 1 : a.id < b.id ? -1 : 1))
    .slice(0, MAX_DUE)
}

/** The index has them soonest first, so the walk ends with the last one that is due. */
function dueMems(state: GraphState, now: number): ToRefresh[] {
  const due: ToRefresh[] = []
  const nowIso = iso(now)
  const soonIso = iso(now + SOON_MS)
  for (const mem of state.mem.by("stale", ALL)) {
    const staleAt = mem.stale_at ?? ""
    if (due.length >= MAX_DUE || staleAt > soonIso) break
    if (!isKnowledge(mem)) continue
    const tie = tieOf(state, [mem.origin_task_id, ...mem.related_to])
    const isDue = staleAt <= nowIso ? tie === "open" : tie !== "over" && isSoon(mem, now)
    if (isDue)
      due.push({ kind: "mem", id: mem.id, title: shorten(mem.content, MAX_TITLE), stale_at: staleAt })
  }
  return due
}

function isSoon({ created_at, stale_at }: Mem, now: number): boolean {
  const end = Date.parse(stale_at ?? "")
  return end - now <= (end - Date.parse(created_at)) / 4
}

function dueAnchor(state: GraphState, anchor: Anchor, now: number): ToRefresh | undefined {
  const end = Date.parse(anchor.updated_at) + FRESH_HOURS * HOUR_MS
  const staleAt = anchor.status === "stale" ? Math.min(end, now) : end
  // An anchor that is related to nothing is about the whole project, which is never over.
  if (staleAt > now + SOON_MS || tieOf(state, anchor.related_to) === "over") return undefined
  const title = shorten(`${anchor.key}: ${anchor.value}`, MAX_TITLE)
  return { kind: "anchor", id: anchor.id, title, stale_at: iso(staleAt) }
}

/** Whether what something belongs to is open; "none" where it belongs to nothing that could be over. */
function tieOf(state: GraphState, ids: readonly (string | null)[]): "open" | "over" | "none" {
  const ties = ids.flatMap((id) => (id === null ? [] : (isOpen(state, id) ?? [])))
  return ties.length === 0 ? "none" : ties.includes(true) ? "open" : "over"
}

function isOpen(state: GraphState, id: string): boolean | undefined {
  const task = state.task.get(id)
  if (task !== undefined) return isOpenTask(task)
  const phase = state.phase.get(id)
  if (phase !== undefined) return !isDonePhase(phase)
  const plan = state.plan.get(state.artifact.get(id)?.plan_id ?? id)
  return plan === undefined ? undefined : isOpenPlan(plan)
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

const SOON_MS = 12 * HOUR_MS
const MAX_DUE = 20
const MAX_TITLE = 80
