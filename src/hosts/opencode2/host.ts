import { HiveError } from "../../shared/error.ts"
import { isHostConfig } from "../opencode/own-entry.ts"
import type { Host } from "../port.ts"
import type { Context } from "./context.ts"
import type { Heard } from "./heard.ts"

/** What HiveMind needs, as far as OpenCode 2 gives it to a plugin: texts come from events, as messages cannot be read. */
export function openCode2Host(
  { session }: Pick<Context, "session">,
  heard: Pick<Heard, "lastAnswer" | "lastSummary" | "parentOf">,
  given: Pick<Host, "directory" | "home" | "userConfig" | "options">,
): Host {
  return {
    ...given,
    isConfig: (path) => isHostConfig(path),
    async parentOf(id) {
      const known = heard.parentOf(id)
      if (known !== undefined) return known
      const found = await session.get({ sessionID: id })
      const parent = typeof found === "object" && found !== null ? Reflect.get(found, "parentID") : undefined
      return typeof parent === "string" ? parent : null
    },
    lastAnswer: async (id) => heard.lastAnswer(id),
    lastSummary: async (id) => heard.lastSummary(id),
    // Each is counted as it comes; those of a process that died are lost.
    lastAnswers: async () => [],
    agentRunsChecks: true,
    // A server-side plugin has no way to show anything.
    toast: async () => {},
    async endSession(id) {
      await session.interrupt({ sessionID: id })
    },
    startSession: async () => {
      throw new HiveError({
        code: "not_allowed",
        what: "No researcher was started.",
        why: "OpenCode 2 lets no plugin start a subagent's session.",
        use_instead: "Ask with the subagent tool: hive-investigator saves what it finds.",
        evidence: "OpenCode 2",
      })
    },
  }
}
