import type { RunningCall } from "../../hive/running-call.ts"
import { HiveError } from "../../shared/error.ts"
import { forgetOldest } from "../../shared/once-each.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { HiveTool, ToolReply } from "../../tools/tool.ts"
import { writeReply } from "../opencode/results.ts"
import { titleOf } from "../opencode/titles.ts"
import type { HiveMind } from "../port.ts"
import { callKey } from "./calls.ts"
import type { ToolDefinition, ToolResult } from "./context.ts"

/**
 * Our tools as OpenCode 2 takes them. It gives a plugin's tool no way to ask for leave: commands run only where the user's
 * configuration allows it, and without that our shell is not offered.
 */
export function hostTools2(hivemind: Pick<HiveMind, "tools" | "runTool">, mayRun: boolean) {
  // A call that the gate refuses runs all the same, as nothing checks its arguments; it is answered with the refusal.
  const refused = new Map<string, string>()

  function definition(tool: HiveTool): ToolDefinition {
    const { name, description } = tool
    return {
      name,
      description: `${description}${HOST_NOTES[name] ?? ""}`,
      input: tool.schema(),
      // A tool like any other, not one of a catalogue for scripts.
      options: { codemode: false },
      async execute(input, call): Promise<ToolResult> {
        const key = callKey({ ...call, tool: name })
        const refusal = refused.get(key)
        refused.delete(key)
        // What a tool throws is mixed up with what others throw in the same step, so nothing is thrown.
        if (refusal !== undefined) return { content: refusal, metadata: { error: "refused" } }
        const caller = { session: call.sessionID, agent: call.agent, running: runningCall(call, mayRun) }
        const reply = await hivemind.runTool(tool, caller, input)
        return {
          content: writeReply(reply),
          metadata: { title: titleOf(name, input, reply), ...metadataOf(reply) },
        }
      },
    }
  }

  return {
    definitions: hivemind.tools.filter(({ name }) => mayRun || name !== SHELL).map(definition),
    refuse(key: string, refusal: string): void {
      refused.set(key, refusal)
      if (refused.size > MAX_REFUSED) forgetOldest(refused)
    },
  }
}

/** A field without a value would leave the call hanging. */
function metadataOf(reply: ToolReply): Record<string, unknown> {
  if (reply.status === "error") return { error: reply.code }
  return reply.entity_id === undefined ? {} : { entity_id: reply.entity_id }
}

function runningCall({ progress }: Parameters<ToolDefinition["execute"]>[1], mayRun: boolean): RunningCall {
  return {
    async mayRun(command) {
      if (!mayRun) throw cannotAsk(command)
    },
    mayStart: async () => {},
    show({ title, output }) {
      progress?.({ title, output })?.catch(() => {}) // Who sees nothing of a call still gets its answer.
    },
    signal: new AbortController().signal,
  }
}

function cannotAsk(command: string): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: "HiveMind has not run the command.",
    why: "OpenCode 2 gives a plugin no way to ask for leave, and the user's permission rules come first.",
    use_instead: `Run it as it is with the shell tool, then do this again: \`${command.slice(0, MAX_SHOWN)}\`.`,
    evidence: command.slice(0, MAX_SHOWN),
  })
}

const SHELL = toolName("shell")
const HOST_NOTES: Readonly<Record<string, string>> = {
  [toolName("delegate")]: " Agents are started with the subagent tool.",
}
const MAX_REFUSED = 1000
const MAX_SHOWN = 200
