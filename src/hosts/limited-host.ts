import { HiveError } from "../shared/error.ts"
import type { Host } from "./port.ts"

/** The host for an agent program that calls HiveMind but cannot be called by HiveMind. */
export function limitedHost(
  given: Pick<Host, "directory" | "home" | "userConfig" | "toast">,
  agent: () => string,
): Host {
  const cannot = async (what: string) => {
    throw new HiveError({
      code: "not_allowed",
      what: `HiveMind cannot ${what} here.`,
      why: `${agent()} offers plugins no function for it.`,
      use_instead: "Use your own subagents.",
      evidence: agent(),
    })
  }
  return {
    ...given,
    options: undefined,
    isConfig: () => false,
    parentOf: async () => null,
    lastAnswer: async () => "",
    lastSummary: async () => "",
    lastAnswers: async () => [],
    endSession: () => cannot("end a session"),
    startSession: () => cannot("start another agent"),
  }
}
