import { warningElement } from "../../context/pack/warning-item.ts"
import { errorText } from "../../gate/refusal-text.ts"
import type { ToolReply } from "../../tools/tool.ts"
import type { AfterCall, CallResult } from "../../turns/after-call.ts"
import type { Warning } from "../../watch/warning.ts"
import { childOf } from "./client.ts"

export interface HostResult {
  id: string
  session: string
  agent: string | null
  tool: string
  /** Tools of an MCP server give their raw result, which has no text of its own. */
  output: { output?: string; metadata?: unknown }
  /** Of a tool of ours: what it answered, before it was written out. */
  reply: ToolReply | undefined
}

/** Reads how a call has ended. Tools that fail by themselves do not come here; these say in their result how it went. */
export function readResult({ id, session, agent, tool, output, reply }: HostResult): CallResult {
  const child = tool === "task" ? childOf(output.metadata) : undefined
  const text = output.output ?? ""
  return {
    id,
    session,
    agent,
    tool,
    ok: tool !== "invalid" && reply?.status !== "error",
    exit: exitCode(output.metadata),
    said: text,
    isSilent: reply === undefined ? NOTHING_PRINTED.test(text) : printsNothing(reply),
    isStopped: text.includes(STOPPED),
    child: child === undefined ? null : { session: child, report: reportOf(text) },
  }
}

/**
 * Adds what HiveMind has to say to a result. A reply of ours in JSON stays that, unless the host has cut it or another plugin has
 * changed it: then it is text like any other.
 */
export function addToResult({ output, reply }: HostResult, { notes, warnings }: AfterCall): void {
  if (output.output === undefined || notes.length + warnings.length === 0) return
  const isOurs = reply !== undefined && output.output === writeReply(reply)
  if (isOurs && notes.length === 0 && !isRun(reply) && reply.status !== "error")
    output.output = writeReply({ ...reply, drift_warnings: textsOf(warnings) })
  else output.output = [output.output, ...notes, ...warnings.map((each) => warningElement(each))].join("\n\n")
}

/**
 * JSON. But an error reads as any refusal does, with a line for each part, and of a command people read what it printed as
 * it is.
 */
export function writeReply(reply: ToolReply & { drift_warnings?: Record<string, string> }): string {
  if (reply.status === "error") return errorText(reply)
  if (!isRun(reply)) return JSON.stringify(reply)
  const timedOut = "timed_out" in reply ? ", ended by timeout_ms" : ""
  return `exit ${exitOf(reply)}${timedOut}\n${printedBy(reply)}`
}

/** What a command of ours has printed. */
export function printedBy(reply: ToolReply): string {
  return "output" in reply && typeof reply["output"] === "string" ? reply["output"] : ""
}

function isRun(reply: ToolReply): boolean {
  return reply.status === "success" && typeof reply["exit"] === "number"
}

/** How a command of ours ended, as the host's own shell tool says it: apart from what it printed. */
export function exitOf(reply: ToolReply): number {
  return "exit" in reply && typeof reply["exit"] === "number" ? reply["exit"] : 1
}

function textsOf(warnings: readonly Warning[]): Record<string, string> {
  return Object.fromEntries(warnings.map(({ id, text }) => [id, text]))
}

function printsNothing(reply: ToolReply): boolean {
  return "output" in reply && reply["output"] === ""
}

/** A command whose end is not known has not been seen to succeed. */
function exitCode(metadata: unknown): number | null {
  if (typeof metadata !== "object" || metadata === null || !("exit" in metadata)) return null
  return typeof metadata.exit === "number" ? metadata.exit : null
}

/** What the subagent said, out of the frame that the host's `task` tool puts around it. */
function reportOf(output: string): string {
  return /<task_result>\n?([\s\S]*?)\n?<\/task_result>\s*(<\/task>\s*)?$/.exec(output)?.[1] ?? output
}

const NOTHING_PRINTED = /^(\s*|\(no output\))$/
const STOPPED = "User aborted the command"
