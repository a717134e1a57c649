import type { Mem } from "../schemas/knowledge.ts"
import { byAge } from "./by-age.ts"
import { ALL, textHash, textKey } from "./indexes.ts"
import { isMemInForce, isRetiredMem, isTaskUnderWay } from "./lifecycle.ts"
import type { GraphState } from "./state.ts"

/** The role of a mem in the work. `saved` and `by rule` are knowledge: in force, no warning, no open question. */
export type Standing = "retired" | "false path" | "invalidated" | "open" | "saved" | "by rule"

export function memStatus(mem: Mem): Standing {
  if (isRetiredMem(mem)) return "retired"
  if (mem.kind === "false_path") return "false path"
  if (mem.status === "invalidated") return "invalidated"
  if (mem.resolved === false) return "open"
  // Findings of a scan are checked by each scan, unlike other mems by rule.
  return CONFIRMED.has(mem.origin) ? "saved" : "by rule"
}

/** An open decision holds a task back, a false path warns, and a rule holds: they stay, however old. */
export function isNeeded({ kind, resolved }: Mem): boolean {
  return kind === "false_path" || kind === "rule" || resolved === false
}

/** Something in force has taken its place. One that was put away before that is not marked itself. */
export function isReplaced(state: GraphState, id: string): boolean {
  for (const mem of state.mem.by("supersedes", id)) if (isMemInForce(mem)) return true
  return false
}

/** The mems of a task, about a path, or related to a record, without those that were replaced or purged. */
export function* memsBy(
  state: GraphState,
  index: "origin_task_id" | "path" | "related_to",
  key: string,
): Iterable<Mem> {
  for (const mem of state.mem.by(index, key)) if (!isRetiredMem(mem)) yield mem
}

/** The mems that were made after that time, the oldest first. None was updated before it was made, so few are looked at. */
export function newMems(state: GraphState, since: string): Mem[] {
  const found: Mem[] = []
  for (const mem of state.mem.by("updated", ALL).backwards()) {
    if (mem.updated_at <= since) break
    if (mem.created_at > since) found.push(mem)
  }
  return found.sort(byAge)
}

/** A mem in force that says the same: same kind and text, and a decision as open or taken as this one. */
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

/** The most mems that a turn may have to choose from. It bounds memory use and the reads on opening. */
const HOT_MEMS = 20_000
// As many as a fold puts away without making others wait.
const MAX_LEAVING = 5000

/** Origins that need no confirmation: saved, said by the user, or read from project files by a scan. */
const CONFIRMED: ReadonlySet<Mem["origin"]> = new Set(["saved", "said", "scan"])
