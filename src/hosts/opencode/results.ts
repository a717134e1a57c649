import { warningElement } from "../../context/pack/record-items.ts"
import { errorText } from "../../gate/refusal-text.ts"
import type { ToolReply } from "../../tools/tool.ts"
import type { AfterCall, CallResult } from "../../turns/after-call.ts"
import type { Warning } from "../../watch/signals.ts"
import { fieldsOf, numberOf, stringOf } from "../host-values.ts"
import { subagentSession } from "./message-parts.ts"

export interface HostResult {
  id: string
  session: string
  agent: string | null
  tool: string
  /** Tools of an MCP server give their raw result, which has no text of its own. */
  output: { output?: string; metadata?: unknown }
  /** The reply of a HiveMind tool, before it was written out. */
  reply: ToolReply | undefined
}

/** The outcome of a call. Tools that fail by themselves run no hook after them: their event has the outcome. */
export function readResult({ id, session, agent, tool, output, reply }: HostResult): CallResult {
  const child = tool === "task" ? subagentSession(output.metadata) : null
  const text = output.output ?? ""
  return {
    ...{ id, session, agent, tool },
    ok: tool !== "invalid" && reply?.status !== "error",
    exit: numberOf(fieldsOf(output.metadata)["exit"]),
    said: text,
    isSilent: reply === undefined ? NOTHING_PRINTED.test(text) : fieldsOf(reply)["output"] === "",
    isStopped: text.includes(STOPPED),
    child: child === null ? null : { session: child, report: reportOf(text) },
  }
}

/**
 * Adds notes and warnings to a result. A JSON reply of ours stays JSON, unless the host has cut it or another plugin has
 * changed it.
 */
export function addToResult({ output, reply }: HostResult, { notes, warnings }: AfterCall): void {
  if (output.output === undefined || notes.length + warnings.length === 0) return
  const isOurs = reply !== undefined && output.output === writeReply(reply)
  if (isOurs && notes.length === 0 && !isRun(reply) && reply.status !== "error")
    output.output = writeReply({ ...reply, drift_warnings: warningTexts(warnings) })
  else output.output = [output.output, ...notes, ...warnings.map((each) => warningElement(each))].join("\n\n")
}

/** A reply as text: an error as a refusal of four lines, a command's output as it was printed, anything else as JSON. */
export function writeReply(reply: ToolReply & { drift_warnings?: Record<string, string> }): string {
  if (reply.status === "error") return errorText(reply)
  if (!isRun(reply)) return JSON.stringify(reply)
  const timedOut = "timed_out" in reply ? ", ended by timeout_ms" : ""
  return `exit ${exitOf(reply)}${timedOut}\n${printedBy(reply)}`
}

/** The output of a command that HiveMind ran. */
export function printedBy(reply: ToolReply): string {
  return stringOf(fieldsOf(reply)["output"])
}

function isRun(reply: ToolReply): boolean {
  return reply.status === "success" && typeof reply["exit"] === "number"
}

/** The exit code of a command that HiveMind ran. */
export function exitOf(reply: ToolReply): number {
  return numberOf(fieldsOf(reply)["exit"]) ?? 1
}

/** Warnings as a field of a reply, by their ids. */
export function warningTexts(warnings: readonly Warning[]): Record<string, string> {
  return Object.fromEntries(warnings.map(({ id, text }) => [id, text]))
}

/** The subagent's report, without the tags that the host's `task` tool puts around it. */
function reportOf(output: string): string {
  return /<task_result>\n?([\s\S]*?)\n?<\/task_result>\s*(<\/task>\s*)?$/.exec(output)?.[1] ?? output
}

const NOTHING_PRINTED = /^(\s*|\(no output\))$/
const STOPPED = "User aborted the command"
