import type { RecordedEvent } from "./read-sessions.ts"

/** What a recorded user event is for HiveMind; undefined for output of the recording host's own commands. */
export function userMessage(
  events: readonly RecordedEvent[],
  at: number,
): { what: "message" | "rejected call" | "stop"; text: string } | undefined {
  const { user: text = "", kind } = events[at] ?? {}
  if (kind === "interrupt") return { what: "stop", text }
  if (kind === "hook" || kind === "wrapper" || text.startsWith(HOST_TEXT)) return undefined
  if (kind !== "rejection") return { what: "message", text }
  const rejected = events.slice(0, at).findLast((event) => event.rejected)?.call ?? ""
  // Turning down a plan or a question is an answer.
  return { what: DISCUSSION.has(rejected) ? "message" : "rejected call", text }
}

const DISCUSSION = new Set(["ExitPlanMode", "AskUserQuestion"])
const HOST_TEXT = "The user wants to clarify these questions"
