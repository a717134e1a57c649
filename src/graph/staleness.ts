import type { Mem } from "../schemas/knowledge.ts"
import { ALL } from "./indexes.ts"
import { isTaskUnderWay } from "./lifecycle.ts"
import { isNeeded } from "./mem-standing.ts"
import type { GraphState } from "./state.ts"

/**
 * A mem is stale past its own stamp, but never while the task it came from is being worked on. Times are compared as
 * text: they are all UTC in one format, and parsing ten thousand of them would cost more than everything else.
 */
export function isStale(mem: Mem, state: GraphState, nowIso: string): boolean {
  if (mem.stale_at === null || mem.stale_at > nowIso) return false
  return !isAtHand(mem, state)
}

/**
 * Mems that no turn needs any more: they move to the archive, where recall still finds them. Those that were replaced,
 * then the stale ones, and where the rest are too many, those that were left alone the longest. At most `limit`: the
 * others follow another time.
 */
export function leavingMems(state: GraphState, now: number, limit: number = MAX_LEAVING): Mem[] {
  const leaving = new Set<Mem>()
  for (const mem of leavers(state, new Date(now).toISOString())) {
    if (leaving.size >= limit) break
    leaving.add(mem)
  }
  const isOneTooMany = () => state.mem.size - leaving.size > HOT_MEMS && leaving.size < limit
  if (isOneTooMany())
    for (const mem of state.mem.by("updated", ALL)) {
      if (!isOneTooMany()) break
      if (!isNeeded(mem) && !isAtHand(mem, state)) leaving.add(mem)
    }
  return [...leaving]
}

function* leavers(state: GraphState, nowIso: string): Iterable<Mem> {
  yield* state.mem.by("standing", "retired")
  for (const mem of state.mem.by("stale", ALL)) {
    if ((mem.stale_at ?? "") > nowIso) return
    if (isStale(mem, state, nowIso)) yield mem
  }
}

/** The task that it came from is being worked on. */
function isAtHand({ origin_task_id }: Mem, state: GraphState): boolean {
  return origin_task_id !== null && isTaskUnderWay(state.task.get(origin_task_id))
}

/** As many as a turn may have to choose from: what is in memory, and what opening reads, does not grow beyond that. */
const HOT_MEMS = 20_000
// As many as a fold puts away without making others wait.
const MAX_LEAVING = 5000
