import type { ToolContext, ToolDefinition } from "@opencode-ai/plugin"
import type { RunningCall } from "../../hive/hive.ts"
import { forgetOldest } from "../../shared/ids.ts"
import type { HiveTool, ToolReply } from "../../tools/tool.ts"
import type { HiveMind } from "../port.ts"
import { exitOf, printedBy, writeReply } from "./results.ts"
import { titleOf } from "./titles.ts"

export interface HostTools {
  definitions: Record<string, ToolDefinition>
  /** Shows the model our own schema of a tool of ours: OpenCode's repeats the version of JSON Schema in each. */
  showOwnSchema: (tool: string, shown: { description: string; jsonSchema?: unknown }) => void
  /** The reply of our tool to that call, once. */
  takeReply: (call: string) => ToolReply | undefined
}

/** Our tools in OpenCode's form, and the reply to each call under way. */
export function hostTools(hivemind: Pick<HiveMind, "tools" | "runTool">): HostTools {
  // The hook after a tool gets text only; the typed reply is kept for it.
  const replies = new Map<string, ToolReply>()

  function toHostTool(tool: HiveTool): ToolDefinition {
    return {
      description: `${tool.description}${HOST_NOTES[tool.name] ?? ""}`,
      // OpenCode's types pin another minor version of Zod; at run time any Zod 4 will do.
      args: tool.args as unknown as ToolDefinition["args"],
      execute: async (args: unknown, context: CalledContext) => {
        const { running, denied } = runningCall(context)
        const caller = { session: context.sessionID, agent: context.agent, running }
        const reply = await hivemind.runTool(tool, caller, args)
        // OpenCode ends the turn after a denied permission, and recognises that by its own error.
        if (reply.status === "error" && denied.has) throw denied.error
        if (context.callID !== undefined) replies.set(context.callID, reply)
        if (replies.size > MAX_REPLIES) forgetOldest(replies)
        return {
          title: titleOf(args, reply),
          output: writeReply(reply),
          metadata: metadataOf(tool, reply),
        }
      },
    }
  }

  return {
    definitions: Object.fromEntries(hivemind.tools.map((tool) => [tool.name, toHostTool(tool)])),
    showOwnSchema(name, shown) {
      const tool = hivemind.tools.find((each) => each.name === name)
      // The field is there (seen with 1.18), but not in OpenCode's types.
      if (tool !== undefined && shown.jsonSchema !== undefined) shown.jsonSchema = tool.schema()
    },
    takeReply(call) {
      const reply = replies.get(call)
      replies.delete(call)
      return reply
    },
  }
}

/** Of a command the same fields as OpenCode's own shell gives; of other calls the record they made. */
function metadataOf(tool: HiveTool, reply: ToolReply): Record<string, unknown> {
  if (tool.name === "hivemind_shell") return { exit: exitOf(reply), output: printedBy(reply) }
  return reply.status === "error" ? { code: reply.code } : { entity_id: reply.entity_id }
}

/** Permissions, progress and abort signal of a call, and the error with which OpenCode has denied a permission. */
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
      const { askForCommand } = await import("./permission.ts") // Needed for the first command only.
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

/** The id of the call is there (seen with 1.18), but not in OpenCode's types. */
type CalledContext = ToolContext & { callID?: string }

// OpenCode's own tool for something that a description mentions.
const HOST_NOTES: Readonly<Record<string, string>> = {
  hivemind_delegate: " Agents are started with the task tool.",
}
const MAX_REPLIES = 1000
