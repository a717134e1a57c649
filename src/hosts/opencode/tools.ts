import type { ToolContext, ToolDefinition } from "@opencode-ai/plugin"
import type { RunningCall } from "../../hive/hive.ts"
import { BoundedMap } from "../../shared/ids.ts"
import type { HiveTool, ToolReply } from "../../tools/tool.ts"
import type { HiveMind } from "../port.ts"
import { exitOf, printedBy, titleOf, writeReply } from "./results.ts"

/** Written out, because the package's declaration files cannot name the inferred type. */
interface HostTools {
  definitions: Record<string, ToolDefinition>
  showOwnSchema: (name: string, shown: { description: string; jsonSchema?: unknown }) => void
  takeReply: (call: string) => ToolReply | undefined
}

export function hostTools(hivemind: Pick<HiveMind, "tools" | "runTool">): HostTools {
  // The `tool.execute.after` hook gets only text, so the typed reply is kept for it.
  const replies = new BoundedMap<string, ToolReply>()

  function toHostTool(tool: HiveTool): ToolDefinition {
    return {
      description: `${tool.description}${HOST_NOTES[tool.name] ?? ""}`,
      // OpenCode's types pin another minor version of Zod; at run time any Zod 4 works.
      args: tool.args as unknown as ToolDefinition["args"],
      execute: async (args: unknown, context: CalledContext) => {
        const { running, denied } = runningCall(context)
        const caller = { session: context.sessionID, agent: context.agent, running }
        const reply = await hivemind.runTool(tool, caller, args)
        // OpenCode ends the turn after a denied permission, but only if its own error is thrown.
        if (reply.status === "error" && denied.has) throw denied.error
        if (context.callID !== undefined) replies.set(context.callID, reply)
        return { title: titleOf(args, reply), output: writeReply(reply), metadata: metadataOf(tool, reply) }
      },
    }
  }

  return {
    definitions: Object.fromEntries(hivemind.tools.map((tool) => [tool.name, toHostTool(tool)])),
    /** Replaces OpenCode's schema of a HiveMind tool, which repeats the JSON Schema version in every tool. */
    showOwnSchema(name: string, shown: { description: string; jsonSchema?: unknown }): void {
      const tool = hivemind.tools.find((each) => each.name === name)
      // OpenCode 1.18 has this field, but its types lack it.
      if (tool !== undefined && shown.jsonSchema !== undefined) shown.jsonSchema = tool.schema()
    },
    takeReply(call: string): ToolReply | undefined {
      const reply = replies.get(call)
      replies.delete(call)
      return reply
    },
  }
}

/** For a command, the fields that OpenCode's own shell sets; for other calls, the record that they wrote. */
function metadataOf(tool: HiveTool, reply: ToolReply): Record<string, unknown> {
  if (tool.name === "hivemind_shell") return { exit: exitOf(reply), output: printedBy(reply) }
  return reply.status === "error" ? { code: reply.code } : { entity_id: reply.entity_id }
}

function runningCall(context: CalledContext) {
  const denied: { has: boolean; error: unknown } = { has: false, error: undefined }
  async function remembering(asking: Promise<void>): Promise<void> {
    try {
      await asking
    } catch (error) {
      Object.assign(denied, { has: true, error })
      throw error
    }
  }
  const running: RunningCall = {
    async mayRun(command, cwd) {
      const { askForCommand } = await import("./permission.ts") // Loaded at the first command.
      await remembering(askForCommand(context, command, cwd))
    },
    async mayStart(agent) {
      const { askForAgent } = await import("./permission.ts")
      await remembering(askForAgent(context, agent))
    },
    show: ({ title, output }) => context.metadata?.({ title, metadata: { output } }),
    signal: context.abort ?? new AbortController().signal,
  }
  return { running, denied }
}

/** OpenCode 1.18 passes the id of the call, but its types lack it. */
type CalledContext = ToolContext & { callID?: string }

const HOST_NOTES: Readonly<Record<string, string>> = {
  hivemind_delegate: " Start the agent with the host's task tool.",
}
