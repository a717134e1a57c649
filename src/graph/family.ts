import type { GraphState } from "./state.ts"

/** A session and its subagents, and theirs: what a delegate did is part of its parent's work. */
export function familyOf(state: GraphState, session: string): Set<string> {
  const family = new Set([session])
  // A Set also visits what is added during the loop: that finds grandchildren.
  for (const each of family) {
    for (const { host_id } of state.session.by("parent", each)) family.add(host_id)
  }
  return family
}
