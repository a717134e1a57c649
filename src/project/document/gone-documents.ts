import { ALL } from "../../graph/indexes.ts"
import { isGoneDocument, isKnowledge, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { memsBy } from "../../graph/mem-status.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/**
 * Mems about a document that was abandoned or superseded: they would mislead, unless their task is under way. Looks
 * only at documents and the mems that name them, so the number of mems does not matter.
 */
export function memsOnGoneDocuments(state: GraphState): Set<Mem> {
  const mems = new Set<Mem>()
  for (const { id, path } of state.artifact.by("gone", ALL)) {
    const about = [...memsBy(state, "path", path), ...memsBy(state, "related_to", id)]
    // A path can have several records: while one of them is current, the file counts.
    if (about.length === 0 || [...state.artifact.by("path", path)].some((each) => !isGoneDocument(each)))
      continue
    // A failure there is still worth a warning, and an open decision still has to be taken.
    for (const mem of about) if (isKnowledge(mem) && !isBeingWorkedOn(state, mem)) mems.add(mem)
  }
  return mems
}

function isBeingWorkedOn(state: GraphState, { origin_task_id }: Mem): boolean {
  return isTaskUnderWay(state.task.get(origin_task_id ?? ""))
}
