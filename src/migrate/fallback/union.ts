import { emptyState, type GraphState, recordsOf } from "../../graph/state.ts"
import { type Kind, kinds } from "../../schemas/records.ts"
import type { Pausing } from "../../shared/slices.ts"

/**
 * The graph together with what is in old files only. Of a record that both have, the graph's counts; one that has left
 * the graph is gone. It follows both by what changes in them.
 */
export function openUnion(old: GraphState) {
  let union = emptyState()
  let followed: GraphState | undefined
  const changed = perKind()
  const gone = perKind()
  /** In old files only. */
  const only = perKind()

  for (const kind of kinds) recordsOf(old, kind).watch((id) => changed[kind].add(id))

  function follow(own: GraphState): void {
    followed = own
    union = emptyState()
    for (const kind of kinds) {
      gone[kind].clear()
      only[kind].clear()
      changed[kind] = new Set([...recordsOf(old, kind).keys(), ...recordsOf(own, kind).keys()])
      recordsOf(own, kind).watch((id, left) => {
        changed[kind].add(id)
        if (left === undefined) gone[kind].delete(id)
        else gone[kind].add(id)
      })
    }
  }

  function put(own: GraphState, kind: Kind, id: string): void {
    const here = recordsOf(own, kind).get(id)
    const there = here === undefined && !gone[kind].has(id) ? recordsOf(old, kind).get(id) : undefined
    if (there === undefined) only[kind].delete(id)
    else only[kind].add(id)
    const record = here ?? there
    if (record === undefined) recordsOf(union, kind).delete(id)
    else recordsOf(union, kind).set(id, record)
  }

  return {
    /** As new as `own`, the state of the graph. Only valid until the next call, as that is. */
    *catchUp(own: GraphState): Pausing<GraphState> {
      if (own !== followed) follow(own)
      for (const kind of kinds) {
        for (const id of changed[kind]) {
          changed[kind].delete(id)
          put(own, kind, id)
          yield
        }
      }
      return union
    },
    /** How many mems there were when it last caught up. */
    memCount: () => union.mem.size,
    isOldOnly: (kind: Kind, id: string) => only[kind].has(id),
    /** Is everything old in the graph by now? */
    isSame: () => kinds.every((kind) => only[kind].size === 0),
  }
}

function perKind(): Record<Kind, Set<string>> {
  return Object.fromEntries(kinds.map((kind) => [kind, new Set<string>()])) as Record<Kind, Set<string>>
}
