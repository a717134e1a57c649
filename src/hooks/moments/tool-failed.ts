import type { ToolPart, ToolStateError } from "@opencode-ai/sdk"
import { tally } from "../../lib/detect/tally.ts"
import { useOfTool } from "../../lib/detect/tool-use.ts"
import { currentTask } from "../../lib/task/current.ts"
import type { Step } from "../background.ts"
import { onceEach } from "../once-each.ts"
import type { MomentInput } from "./moment.ts"

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

  return (part: ToolPart, { input, metadata, error }: ToolStateError): Step[] => {
    // Stopped together with the turn: that is the user's doing, and is counted as such.
    const isStopped = metadata?.["interrupted"] === true || error === "Tool execution aborted"
    if (isStopped || !isNew(part.callID)) return []
    return [["count of a failure", () => count(part, input)]]
  }
}
