import type { Mem } from "../schemas/knowledge.ts"
import { isMemInForce, isRetiredMem } from "./lifecycle.ts"
import type { GraphState } from "./state.ts"

/** What a mem is to the work. `saved` and `by rule` are knowledge: in force, no warning, nothing open. */
export type Standing = "retired" | "false path" | "invalidated" | "open" | "saved" | "by rule"

export function standingOf(mem: Mem): Standing {
  if (isRetiredMem(mem)) return "retired"
  if (mem.kind === "false_path") return "false path"
  if (mem.status === "invalidated") return "invalidated"
  if (mem.resolved === false) return "open"
  // What a scan has read in the project's files is checked by each scan, as nothing else by rule is.
  return mem.origin === "saved" || mem.origin === "scan" ? "saved" : "by rule"
}

/** An open decision holds a task back, and a false path warns: both stay, however old. */
export function isNeeded({ kind, resolved }: Mem): boolean {
  return kind === "false_path" || resolved === false
}

/** Something in force has taken its place. One that was put away before that is not marked itself. */
export function isReplaced(state: GraphState, id: string): boolean {
  for (const mem of state.mem.by("supersedes", id)) if (isMemInForce(mem)) return true
  return false
}
