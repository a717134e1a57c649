import { resolveId } from "../../graph/resolve-id.ts"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import type { RecordOf } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"

/** The plan or task with that id, or the one whose id starts so. */
export function requireListed<K extends "plan" | "task">(
  state: GraphState,
  kind: K,
  given: string,
): RecordOf<K> {
  const found = recordsOf(state, kind).get(idOf(state, kind, given))
  if (found !== undefined) return found as RecordOf<K>
  throw new HiveError({
    code: "not_found",
    what: `There is no ${kind} ${given}.`,
    why: "No id starts like that.",
    use_instead: `\`hivemind ${kind}s\` shows them, with their ids.`,
    evidence: given,
  })
}

function idOf(state: GraphState, kind: "plan" | "task", given: string): string {
  try {
    return resolveId(state, kind, given)
  } catch (error) {
    // Several that start so are named there; where there is none, the list is what helps.
    if (error instanceof HiveError && error.evidence !== given) throw error
    return ""
  }
}
