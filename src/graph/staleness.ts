import type { Mem } from "../schemas/knowledge.ts"
import { isRetiredMem, isTaskUnderWay } from "./lifecycle.ts"
import type { GraphState } from "./state.ts"

/**
 * A mem is stale past its own stamp, but never while the task it came from is being worked on. Times are compared as
 * text: they are all UTC in one format, and parsing ten thousand of them would cost more than everything else.
 */
export function isStale(mem: Mem, state: GraphState, nowIso: string): boolean {
  if (mem.stale_at === null || mem.stale_at > nowIso) return false
  const task = mem.origin_task_id === null ? undefined : state.task.get(mem.origin_task_id)
  return !isTaskUnderWay(task)
}

/** Mems that no turn needs any more: they move to the archive, where recall still finds them. */
export function leavingMems(state: GraphState, now: number): Mem[] {
  const leaving: Mem[] = []
  const nowIso = new Date(now).toISOString()
  for (const mem of state.mem.values()) {
    // An open decision holds a task back, and a false path warns: both stay, however old.
    const isNeeded = mem.kind === "false_path" || mem.resolved === false
    if (isRetiredMem(mem) || (!isNeeded && isStale(mem, state, nowIso))) leaving.push(mem)
  }
  return leaving
}
