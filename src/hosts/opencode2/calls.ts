import type { ToolCall } from "../../gate/call.ts"
import { readCall } from "../opencode/calls.ts"
import type { BeforeEvent } from "./context.ts"

/** Reads a call into HiveMind's words. OpenCode 2 has renamed a few of OpenCode 1's tools and arguments, no more. */
export function readCall2(event: BeforeEvent): ToolCall {
  const { tool, sessionID: session, agent, input } = event
  const args = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {}
  const renamed = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [ARGUMENTS[tool]?.[name] ?? name, value]),
  )
  const read = readCall({ id: callKey(event), session, agent, tool: TOOLS[tool] ?? tool, args: renamed })
  return { ...read, tool, signature: [tool, args] }
}

/** A model may give the same id to calls of different answers; Code Mode gives its own to all that it calls. */
export function callKey({ messageID, id, tool }: Pick<BeforeEvent, "messageID" | "id" | "tool">): string {
  return `${messageID} ${id} ${tool}`
}

const TOOLS: Readonly<Record<string, string>> = { shell: "bash", subagent: "task" }
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  write: { path: "filePath" },
  edit: { path: "filePath" },
  subagent: { agent: "subagent_type" },
}
