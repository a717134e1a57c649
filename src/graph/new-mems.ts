import type { Mem } from "../schemas/knowledge.ts"
import { byAge } from "./by-age.ts"
import { ALL } from "./indexes.ts"
import type { GraphState } from "./state.ts"

/** The mems that were made after that time, the oldest first. None was updated before it was made, so few are looked at. */
export function newMems(state: GraphState, since: string): Mem[] {
  const found: Mem[] = []
  for (const mem of state.mem.by("updated", ALL).backwards()) {
    if (mem.updated_at <= since) break
    if (mem.created_at > since) found.push(mem)
  }
  return found.sort(byAge)
}
