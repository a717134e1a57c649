import type { ToolPart, ToolStateError } from "@opencode-ai/sdk"
import { currentTask } from "../graph/current-task.ts"
import { childOf } from "../hosts/opencode/opencode.ts"
import { tally } from "../watch/tally.ts"
import { useOfTool } from "../watch/tool-use.ts"
import { failChild } from "../work/delegation/run.ts"
import type { Step } from "./background.ts"
import type { MomentInput } from "./moment.ts"
import { onceEach } from "./once-each.ts"

/** A tool that fails by itself, or was refused, runs no after-hook; only an event tells, more than once. */
export function toolFailed({ hive }: MomentInput) {
  const isNew = onceEach()

  async function count({ sessionID: session, tool }: ToolPart, args: Record<string, unknown>): Promise<void> {
    const opened = await hive()
    const task = currentTask(opened.store.read().state, session)?.title ?? null
    const caller = { session, agent: null, tool: `tool ${tool}`.slice(0, 100) }
    const call = { tool, args, use: useOfTool(tool), agent: null, ok: false, task, isDeed: false }
    await tally(opened, caller, { what: "call", ...call })
  }

  async function endChild({ sessionID: session }: ToolPart, child: string, error: string): Promise<void> {
    await failChild(await hive(), { session, agent: null, tool: "tool task" }, child, error)
  }

  return (part: ToolPart, { input, metadata, error }: ToolStateError): Step[] => {
    if (!isNew(part.callID)) return []
    const steps: Step[] = []
    const child = part.tool === "task" ? childOf(metadata) : undefined
    if (child !== undefined) steps.push(["end of a subagent", () => endChild(part, child, error)])
    // Stopped together with the turn: that is the user's doing, and is counted as such.
    const isStopped = metadata?.["interrupted"] === true || error === "Tool execution aborted"
    if (!isStopped) steps.push(["count of a failure", () => count(part, input)])
    return steps
  }
}
