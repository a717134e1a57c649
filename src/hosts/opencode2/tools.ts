import type { RunningCall } from "../../hive/hive.ts"
import { HiveError } from "../../shared/error.ts"
import { BoundedMap } from "../../shared/ids.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { HiveTool, ToolReply } from "../../tools/tool.ts"
import { titleOf, writeReply } from "../opencode/results.ts"
import type { HiveMind } from "../port.ts"
import { callKey } from "./calls.ts"
import type { ToolDefinition } from "./context.ts"

/** A plugin's tool cannot ask for permission: commands run only if the user's configuration allows it. */
export function hostTools2(hivemind: Pick<HiveMind, "tools" | "runTool">, mayRun: boolean) {
  // The gate's refusals by call, which `execute` returns: OpenCode 2 mixes up errors that hooks throw for several calls.
  const refused = new BoundedMap<string, string>()

  function definition(tool: HiveTool): ToolDefinition {
    const { name, description } = tool
    return {
      name,
      description: `${description}${HOST_NOTES[name] ?? ""}`,
      input: tool.schema(),
      // A normal tool, not one that only scripts of Code Mode can call.
      options: { codemode: false },
      async execute(input, call) {
        const key = callKey({ ...call, tool: name })
        const refusal = refused.get(key)
        refused.delete(key)
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
    refuse: (key: string, refusal: string): void => void refused.set(key, refusal),
  }
}

/** Leaves out undefined fields, because OpenCode 2 never ends a call that has one. */
function metadataOf(reply: ToolReply): Record<string, unknown> {
  if (reply.status === "error") return { error: reply.code }
  return reply.entity_id === undefined ? {} : { entity_id: reply.entity_id }
}

function runningCall({ progress }: Parameters<ToolDefinition["execute"]>[1], mayRun: boolean): RunningCall {
  return {
    async mayRun(command) {
      if (!mayRun)
        throw new HiveError({
          code: "not_allowed",
          what: "HiveMind has not run the command.",
          why: "In OpenCode 2 a plugin cannot ask for the user's permission, which the command needs.",
          use_instead: `Run \`${command.slice(0, MAX_SHOWN)}\` unchanged with the shell tool, then repeat this call.`,
          evidence: command.slice(0, MAX_SHOWN),
        })
    },
    mayStart: async () => {},
    show({ title, output }) {
      progress?.({ title, output })?.catch(() => {}) // The call goes on without its progress shown.
    },
    signal: new AbortController().signal,
  }
}

const SHELL = toolName("shell")
const HOST_NOTES: Readonly<Record<string, string>> = {
  [toolName("delegate")]: " Agents are started with the subagent tool.",
}
const MAX_SHOWN = 200
