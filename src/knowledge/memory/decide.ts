import { isOpenDecision } from "../../graph/lifecycle.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"
import { findMem } from "./find.ts"
import { saveMem } from "./save.ts"

/** Takes a decision that was open: what was decided replaces it, and the tasks that waited for it are free. */
export async function resolveDecision(
  hive: Hive,
  caller: Caller,
  { decision, content }: { decision: string; content: string },
): Promise<Mem> {
  const { mem } = findMem(hive, decision)
  if (!isOpenDecision(mem)) throw notOpen(mem)
  return saveMem(hive, caller, {
    content,
    kind: "decision",
    shelf: mem.shelf,
    tags: mem.tags,
    supersedes: mem.id,
    ...(mem.origin_task_id !== null && { origin_task_id: mem.origin_task_id }),
  })
}

function notOpen({ id, status, resolved }: Mem): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: "No decision was taken.",
    why: resolved === null ? "This mem is no decision." : "This decision is not open any more.",
    use_instead: "Save a decision that supersedes it, if another one holds now.",
    evidence: `mem ${id}: status = ${status}, resolved = ${resolved}`,
  })
}
