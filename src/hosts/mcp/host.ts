import { HiveError } from "../../shared/error.ts"
import type { Host } from "../port.ts"

/** What HiveMind can have of a client that speaks MCP: hardly anything. It sees no messages and starts no sessions. */
export function mcpHost(
  directory: string,
  given: Pick<Host, "home" | "userConfig" | "toast"> & { agent: () => string },
): Host {
  return {
    ...given,
    directory,
    options: undefined,
    // Files of other agents are no business of ours.
    isConfig: () => false,
    parentOf: async () => null,
    lastAnswer: async () => "",
    lastSummary: async () => "",
    lastAnswers: async () => [],
    endSession: async () => {
      throw cannot("end a session", given.agent())
    },
    startSession: async () => {
      throw cannot("start an agent beside you", given.agent())
    },
  }
}

function cannot(what: string, agent: string): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: `HiveMind cannot ${what} here.`,
    why: `${agent} is connected over MCP, which has no way to do it.`,
    use_instead: "Use your own subagents; what they save here is kept under your session.",
    evidence: "hivemind mcp",
  })
}
