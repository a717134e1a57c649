import type { AssistantMessage } from "@opencode-ai/sdk"
import { tally } from "../watch/tally.ts"
import type { Step } from "./background.ts"
import type { MomentInput } from "./moment.ts"
import { onceEach } from "./once-each.ts"

/** An answer is complete: the turn was stopped by the user, has ended well, or goes on. */
export function answered({ hive }: MomentInput) {
  const isNew = onceEach()

  async function count(session: string, what: "cancelled turn" | "good turn"): Promise<void> {
    await tally(await hive(), { session, agent: null, tool: "turn" }, { what })
  }

  return (message: AssistantMessage): Step[] => {
    const what = outcomeOf(message)
    if (what === undefined || !isNew(message.id)) return []
    return [[`count of a ${what}`, () => count(message.sessionID, what)]]
  }
}

function outcomeOf({ time, error, finish, summary }: AssistantMessage) {
  // The summary of a compaction is the host's own turn, also where the user stops it.
  if (time.completed === undefined || summary === true) return undefined
  // Read here and not from session.error: a turn that is stopped before the model was asked has no such event.
  if (error !== undefined) return error.name === "MessageAbortedError" ? "cancelled turn" : undefined
  if (finish === undefined || UNFINISHED.has(finish)) return undefined
  return "good turn"
}

const UNFINISHED = new Set(["tool-calls", "unknown", "content-filter", "error"])
