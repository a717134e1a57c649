import { compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isOpenDecision, isOpenTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { OpenDecision } from "./model.ts"

/** What waits for a person's word, the oldest first, with the tasks that it keeps. */
export function openDecisions(state: GraphState): OpenDecision[] {
  const open = [...state.mem.by("in_force", ALL)].filter(isOpenDecision)
  const kept = new Map<string, OpenDecision["keeps"]>(open.map(({ id }) => [id, []]))
  for (const task of state.task.values()) {
    if (!isOpenTask(task)) continue
    for (const id of task.decisions) kept.get(id)?.push({ id: task.id, title: task.title })
  }
  return open
    .sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
    .slice(0, MAX_SHOWN)
    .map(({ id, content, created_at }) => ({
      id,
      content,
      at: created_at,
      keeps: (kept.get(id) ?? []).slice(0, MAX_SHOWN),
    }))
}

const MAX_SHOWN = 20
