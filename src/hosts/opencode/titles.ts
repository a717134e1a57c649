import { shorten } from "../../shared/text/clean.ts"
import type { ToolReply } from "../../tools/tool.ts"

/** What a call of ours was about, in a few words for people: its command, or its action and the first that says of what. */
export function titleOf(args: unknown, reply: ToolReply): string {
  const given = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {}
  if (typeof given["command"] === "string") return shorten(given["command"], MAX_TITLE)
  const action = typeof given["action"] === "string" ? given["action"] : "call"
  if (reply.status === "error") return shorten(`${action} refused: ${reply.what}`, MAX_TITLE)
  const subject = [...SAID.map((name) => given[name]), ...TOLD.map((name) => reply[name])].find(
    (each) => typeof each === "string" && each !== "",
  )
  return shorten(subject === undefined ? action : `${action}: ${String(subject)}`, MAX_TITLE)
}

// In the order of how much they say.
const SAID = ["title", "content", "intent", "key", "query", "question", "to", "reason", "evidence", "summary"]
const TOLD = ["title", "expected_output", "intent", "stamp"]
const MAX_TITLE = 100
