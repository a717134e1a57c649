import type { Mem } from "../schemas/knowledge.ts"
import { byAge } from "./by-age.ts"
import { ALL, textHash, textKey } from "./indexes.ts"
import { isMemInForce, isRetiredMem, isTaskUnderWay } from "./lifecycle.ts"
import type { GraphState } from "./state.ts"

/** How a mem is shown and used. `saved` is confirmed knowledge, `by rule` unconfirmed knowledge. */
export type Standing = "retired" | "false path" | "invalidated" | "open" | "saved" | "by rule"

export function memStatus(mem: Mem): Standing {
  if (isRetiredMem(mem)) return "retired"
  if (mem.kind === "false_path") return "false path"
  if (mem.status === "invalidated") return "invalidated"
  if (mem.resolved === false) return "open"
  return CONFIRMED.has(mem.origin) ? "saved" : "by rule"
}

/** True for open decisions, false paths and rules, which never leave for the archive because of their age. */
export function isNeeded({ kind, resolved }: Mem): boolean {
  return kind === "false_path" || kind === "rule" || resolved === false
}

/** True if a valid mem supersedes this one. If this one is archived, its own status may still be `active`. */
export function isReplaced(state: GraphState, id: string): boolean {
  for (const mem of state.mem.by("supersedes", id)) if (isMemInForce(mem)) return true
  return false
}

/** Yields mems of a task, about a path, or related to a record, except replaced and purged ones. */
export function* memsBy(
  state: GraphState,
  index: "origin_task_id" | "path" | "related_to",
  key: string,
): Iterable<Mem> {
  for (const mem of state.mem.by(index, key)) if (!isRetiredMem(mem)) yield mem
}

/** Returns mems created after a time, oldest first. Reads only mems updated since then: new mems are among them. */
export function newMems(state: GraphState, since: string): Mem[] {
  const found: Mem[] = []
  for (const mem of state.mem.by("updated", ALL).backwards()) {
    if (mem.updated_at <= since) break
    if (mem.created_at > since) found.push(mem)
  }
  return found.sort(byAge)
}

/** Finds a valid mem with the same kind, text and `resolved`. */
export function findSameText(
  state: Pick<GraphState, "mem">,
  { id, kind, content, resolved }: Pick<Mem, "id" | "kind" | "content" | "resolved">,
): Mem | undefined {
  const text = textKey(content)
  for (const mem of state.mem.by("text", textHash(content)))
    if (mem.id !== id && mem.kind === kind && mem.resolved === resolved && textKey(mem.content) === text)
      return mem
  return undefined
}

/** True if `stale_at` has passed and the mem's task is not under way. ISO times are compared as text. */
export function isStale(mem: Mem, state: GraphState, nowIso: string): boolean {
  if (mem.stale_at === null || mem.stale_at > nowIso) return false
  return !isAtHand(mem, state)
}

/** Chooses the mems to archive: first replaced and purged ones, then stale ones, then, if there are too many, the oldest. */
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

function isAtHand({ origin_task_id }: Mem, state: GraphState): boolean {
  return origin_task_id !== null && isTaskUnderWay(state.task.get(origin_task_id))
}

/** The most mems that stay out of the archive. Limits memory use and the time to open a graph. */
const HOT_MEMS = 20_000
// The most mems that one fold archives: more would make other writers wait.
const MAX_LEAVING = 5000

/** Origins whose mems count as confirmed. Mems of a scan are among them, because every scan checks them again. */
const CONFIRMED: ReadonlySet<Mem["origin"]> = new Set(["saved", "said", "scan"])
