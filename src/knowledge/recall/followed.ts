import type { Records } from "../../graph/indexes.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/** What has changed since it was looked at last. */
export interface Followed {
  mems: Records<"mem">
  tasks: Records<"task">
  changed: Set<string>
  gone: Map<string, Mem>
  /** Those of the gone that had not changed before they went. */
  left: Set<string>
  changedTasks: Set<string>
}

export function follow({ mem: mems, task: tasks }: GraphState): Followed {
  const changed = new Set<string>()
  const gone = new Map<string, Mem>()
  const left = new Set<string>()
  const changedTasks = new Set<string>()
  mems.watch((id, record) => {
    if (record === undefined) left.delete(id)
    else {
      gone.set(id, record)
      if (!changed.has(id)) left.add(id)
    }
    changed.add(id)
  })
  tasks.watch((id) => changedTasks.add(id))
  return { mems, tasks, changed, gone, left, changedTasks }
}

export function isFollowed(followed: Followed | undefined, state: GraphState): followed is Followed {
  return followed?.mems === state.mem && followed.tasks === state.task
}

export function isCaughtUp({ changed, changedTasks }: Followed): boolean {
  return changed.size + changedTasks.size === 0
}
