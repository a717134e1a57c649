import type { RunningCall } from "../../hive/hive.ts"
import { HiveError } from "../../shared/error.ts"
import { forgetOldest } from "../../shared/ids.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { HiveTool, ToolReply } from "../../tools/tool.ts"
import { writeReply } from "../opencode/results.ts"
import { titleOf } from "../opencode/titles.ts"
import type { HiveMind } from "../port.ts"
import { callKey } from "./calls.ts"
import type { ToolDefinition, ToolResult } from "./context.ts"

/**
 * Our tools in OpenCode 2's form. A plugin's tool cannot ask for permission there: commands run only if the user's
 * configuration allows it, and otherwise our shell tool is left out.
 */
export function hostTools2(hivemind: Pick<HiveMind, "tools" | "runTool">, mayRun: boolean) {
  // Nothing checks the arguments of our tools, so a refused call reaches `execute`; it is answered with the refusal.
  const refused = new Map<string, string>()

  function definition(tool: HiveTool): ToolDefinition {
    const { name, description } = tool
    return {
      name,
      description: `${description}${HOST_NOTES[name] ?? ""}`,
      input: tool.schema(),
      // A normal tool, not one that only scripts of Code Mode can call.
      options: { codemode: false },
      async execute(input, call): Promise<ToolResult> {
        const key = callKey({ ...call, tool: name })
        const refusal = refused.get(key)
        refused.delete(key)
        // OpenCode 2 mixes up the errors of calls in one step, so nothing is thrown.
        if (refusal !== undefined) return { content: refusal, metadata: { error: "refused" } }
        const caller = { session: call.sessionID, agent: call.agent, running: runningCall(call, mayRun) }
        const reply = await hivemind.runTool(tool, caller, input)
        return {
          content: writeReply(reply),
          metadata: { title: titleOf(input, reply), ...metadataOf(reply) },
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

/** OpenCode 2 never ends a call with an undefined field. */
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
      progress?.({ title, output })?.catch(() => {}) // The call goes on without its progress shown.
    },
    signal: new AbortController().signal,
  }
}

function cannotAsk(command: string): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: "HiveMind has not run the command.",
    why: "OpenCode 2 gives a plugin no way to ask for permission, and the user's permission rules come first.",
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
