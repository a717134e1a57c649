import type { Mem } from "../schemas/knowledge.ts"
import { isRetiredMem } from "./lifecycle.ts"

/** What a mem is to the work. `saved` and `by rule` are knowledge: in force, no warning, nothing open. */
export type Standing = "retired" | "false path" | "invalidated" | "open" | "saved" | "by rule"

export function standingOf(mem: Mem): Standing {
  if (isRetiredMem(mem)) return "retired"
  if (mem.kind === "false_path") return "false path"
  if (mem.status === "invalidated") return "invalidated"
  if (mem.resolved === false) return "open"
  return mem.origin === "saved" ? "saved" : "by rule"
}

/** An open decision holds a task back, and a false path warns: both stay, however old. */
export function isNeeded({ kind, resolved }: Mem): boolean {
  return kind === "false_path" || resolved === false
}
