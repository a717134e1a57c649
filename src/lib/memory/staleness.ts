import type { Mem } from "../../schemas/knowledge.ts"
import type { GraphState } from "../graph/state.ts"

/** A mem is stale past its own stamp, but never while the task it came from is being worked on. */
export function isStale(mem: Mem, state: GraphState, now: number): boolean {
  if (mem.stale_at === null || staleTime(mem, mem.stale_at) > now) return false
  const task = mem.origin_task_id === null ? undefined : state.task.get(mem.origin_task_id)
  return task?.status !== "active" && task?.status !== "review"
}

/** Mems that no turn needs any more: they move to the archive, where recall still finds them. */
export function leavingMems(state: GraphState, now: number): Mem[] {
  const leaving: Mem[] = []
  for (const mem of state.mem.values()) {
    // An open decision holds a task back, and a false path warns: both stay, however old.
    const isNeeded = mem.kind === "false_path" || mem.resolved === false
    const isOver = mem.status === "superseded" || mem.status === "purged"
    if (isOver || (!isNeeded && isStale(mem, state, now))) leaving.push(mem)
  }
  return leaving
}

/** Asked for every mem on every turn; records never change, so each date is parsed once. */
function staleTime(mem: Mem, at: string): number {
  const known = staleTimes.get(mem)
  if (known !== undefined) return known
  const parsed = Date.parse(at)
  staleTimes.set(mem, parsed)
  return parsed
}

const staleTimes = new WeakMap<Mem, number>()
export const HOUR_MS = 3_600_000
