import { warningElement } from "../../context/pack/record-items.ts"
import { errorText } from "../../gate/refusal-text.ts"
import { shorten } from "../../shared/text/clean.ts"
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
  /** For a tool of an MCP server this is its raw result, which has no `output`. */
  output: { output?: string; metadata?: unknown }
  reply: ToolReply | undefined
}

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
    child: child === null ? null : { session: child, report: REPORT.exec(text)?.[1] ?? text },
  }
}

/** Adds warnings inside a JSON reply, so that it stays JSON; a changed reply and notes get text at the end instead. */
export function addToResult({ output, reply }: HostResult, { notes, warnings }: AfterCall): void {
  if (output.output === undefined || notes.length + warnings.length === 0) return
  const isOurs = reply !== undefined && output.output === writeReply(reply)
  if (isOurs && notes.length === 0 && !isRun(reply) && reply.status !== "error")
    output.output = writeReply({ ...reply, drift_warnings: warningTexts(warnings) })
  else output.output = [output.output, ...notes, ...warnings.map((each) => warningElement(each))].join("\n\n")
}

/** An error as a refusal of four lines, a command's output as it was printed, anything else as JSON. */
export function writeReply(reply: ToolReply & { drift_warnings?: Record<string, string> }): string {
  if (reply.status === "error") return errorText(reply)
  if (!isRun(reply)) return JSON.stringify(reply)
  const timedOut = "timed_out" in reply ? ", ended by timeout_ms" : ""
  return `exit ${exitOf(reply)}${timedOut}\n${printedBy(reply)}`
}

export function printedBy(reply: ToolReply): string {
  return stringOf(fieldsOf(reply)["output"])
}

function isRun(reply: ToolReply): boolean {
  return reply.status === "success" && typeof reply["exit"] === "number"
}

export function exitOf(reply: ToolReply): number {
  return numberOf(fieldsOf(reply)["exit"]) ?? 1
}

export function warningTexts(warnings: readonly Warning[]): Record<string, string> {
  return Object.fromEntries(warnings.map(({ id, text }) => [id, text]))
}

export function titleOf(args: unknown, reply: ToolReply): string {
  const given = fieldsOf(args)
  const action = stringOf(given["action"])
  if (reply.status === "error") return shorten(`${action || "call"} refused: ${reply.what}`, MAX_TITLE)
  const named = SUBJECTS.map((name) => stringOf(given[name]) || stringOf(reply[name]))
  const { tasks } = given
  const titles = Array.isArray(tasks) ? tasks.map((task) => stringOf(fieldsOf(task)["title"])) : []
  const subject = named.find((text) => text !== "") ?? titles.join(", ")
  return shorten([action, subject].filter((text) => text !== "").join(": "), MAX_TITLE)
}

const NOTHING_PRINTED = /^(\s*|\(no output\))$/
const REPORT = /<task_result>\n?([\s\S]*?)\n?<\/task_result>\s*(<\/task>\s*)?$/
const STOPPED = "User aborted the command"
const SUBJECTS =
  "command title content intent query question key snapshot stamp session path file agent id reason".split(
    " ",
  )
const MAX_TITLE = 100
