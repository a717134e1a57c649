import { ALL } from "../../graph/indexes.ts"
import { isRetiredMem } from "../../graph/lifecycle.ts"
import type { Place } from "../../graph/place.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/** How a mem is tied to the place, and what that is worth. */
export interface Nearness {
  points: number
  reason: string
}

/**
 * Mems that have to do with the place, each with its nearest tie. Of more than any turn could show, the newest: a task
 * or a file may have collected thousands.
 */
export function nearMems(state: GraphState, place: Place): Map<Mem, Nearness> {
  const near = new Map<Mem, Nearness>()
  const note = (mems: Iterable<Mem | undefined>, nearness: Nearness) => {
    for (const mem of mems) {
      if (near.size >= MAX_NEAR) return
      if (mem !== undefined && !isRetiredMem(mem) && !near.has(mem)) near.set(mem, nearness)
    }
  }
  const withIds = (ids: readonly string[]) => ids.map((id) => state.mem.get(id))

  const ofTasks = place.tasks.flatMap(({ id }) => newestOf(state, "origin_task_id", id))
  note(ofTasks, SAME_TASK)
  if (place.phase !== undefined) note(memsOfPhase(state, place.phase.id), SAME_PHASE)
  for (const { decisions } of place.tasks) note(withIds(decisions), LINKED)
  for (const mem of ofTasks) if (!isRetiredMem(mem)) note(withIds(mem.related_to), LINKED)
  for (const { id } of place.tasks) note(newestOf(state, "related_to", id), LINKED)
  for (const path of first(MAX_FILES, place.files)) note(newestOf(state, "path", path), SAME_FILES)
  // Leaned on by others: a few points more than merely recent ones, wherever they are from.
  for (const mem of first(MAX_LEANING, state.mem.by("leaning", ALL).backwards()))
    note(withIds(mem.related_to), RECENT)
  return near
}

/** From the mems of its tasks; a phase with very many tasks is looked for in the newest mems instead. */
function* memsOfPhase(state: GraphState, phaseId: string): Iterable<Mem> {
  const tasks = state.task.by("parent_phase_id", phaseId)
  if (tasks.size <= MAX_TASKS) {
    for (const { id } of tasks) yield* newestOf(state, "origin_task_id", id)
    return
  }
  for (const mem of first(MAX_NEWEST, state.mem.by("in_force", ALL).backwards()))
    if (state.task.get(mem.origin_task_id ?? "")?.parent_phase_id === phaseId) yield mem
}

function newestOf(state: GraphState, index: "origin_task_id" | "related_to" | "path", key: string): Mem[] {
  return first(MAX_OF_ONE, state.mem.by(index, key).backwards())
}

const SAME_TASK = { points: 100, reason: "from the task at hand" }
const SAME_PHASE = { points: 60, reason: "from the same phase" }
const LINKED = { points: 45, reason: "linked to the task at hand" }
const SAME_FILES = { points: 30, reason: "about the same files" }
export const RECENT = { points: 0, reason: "recent" }
const MAX_NEAR = 2000
const MAX_OF_ONE = 500
const MAX_TASKS = 500
const MAX_NEWEST = 2000
const MAX_FILES = 500
const MAX_LEANING = 500
