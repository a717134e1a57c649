import { isGoneDocument, isKnowledge, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { memIndex } from "../../graph/mem-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"

/**
 * Mems about a document that was abandoned or superseded: they would mislead, unless their task is under way. Looks
 * only at documents and the mems that name them, so the number of mems does not matter.
 */
export function memsOnGoneDocuments(state: GraphState): Set<Mem> {
  const mems = new Set<Mem>()
  const gone = [...state.artifact.values()].filter(isGoneDocument)
  if (gone.length === 0) return mems
  const index = memIndex(state.mem)
  // A path can have several records: while one of them is current, the file counts.
  const current = new Set<string>()
  for (const artifact of state.artifact.values()) if (!isGoneDocument(artifact)) current.add(artifact.path)
  for (const { id, path } of gone) {
    if (current.has(path)) continue
    // What failed there is still worth a warning, and what is open still has to be decided.
    for (const mem of [...(index.byPath.get(path) ?? []), ...(index.byRelated.get(id) ?? [])])
      if (isKnowledge(mem) && !isBeingWorkedOn(state, mem)) mems.add(mem)
  }
  return mems
}

function isBeingWorkedOn(state: GraphState, { origin_task_id }: Mem): boolean {
  return isTaskUnderWay(state.task.get(origin_task_id ?? ""))
}
