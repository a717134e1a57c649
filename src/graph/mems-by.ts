import type { Mem } from "../schemas/knowledge.ts"
import { isRetiredMem } from "./lifecycle.ts"
import type { GraphState } from "./state.ts"

/** The mems of a task, about a path, or related to a record, without those that were replaced or purged. */
export function* memsBy(
  state: GraphState,
  index: "origin_task_id" | "path" | "related_to",
  key: string,
): Iterable<Mem> {
  for (const mem of state.mem.by(index, key)) if (!isRetiredMem(mem)) yield mem
}
