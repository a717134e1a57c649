import type { ToolCall } from "../../gate/call.ts"
import { fieldsOf } from "../host-values.ts"
import { type HostCall, readCall } from "../opencode/calls.ts"
import type { BeforeEvent } from "./context.ts"

/** Translates a call into HiveMind's words. OpenCode 2 has renamed a few of OpenCode 1's tools and arguments. */
export function readCall2(event: BeforeEvent): { host: HostCall; call: ToolCall } {
  const { tool, sessionID: session, agent, input } = event
  const args = fieldsOf(input)
  const renamed = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [ARGUMENTS[tool]?.[name] ?? name, value]),
  )
  const host = { id: callKey(event), session, agent, tool: TOOLS[tool] ?? tool, args: renamed }
  return { host, call: { ...readCall(host), tool, signature: [tool, args] } }
}

/** Unique per call: a model may reuse an id in another answer, and Code Mode gives its own id to all its calls. */
export function callKey({ messageID, id, tool }: Pick<BeforeEvent, "messageID" | "id" | "tool">): string {
  return `${messageID} ${id} ${tool}`
}

const TOOLS: Readonly<Record<string, string>> = { shell: "bash", subagent: "task" }
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  write: { path: "filePath" },
  edit: { path: "filePath" },
  subagent: { agent: "subagent_type" },
}
