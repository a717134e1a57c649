import { warningElement } from "../../context/pack/record-items.ts"
import type { ToolCall } from "../../gate/call.ts"
import type { AfterCall, CallResult } from "../../turns/after-call.ts"
import { fieldsOf, numberOf, renamed, stringOf } from "../host-values.ts"
import { type HostCall, readCall } from "../opencode/calls.ts"
import type { AfterEvent, CallEvent } from "./context.ts"

export function readCall2(event: CallEvent): { host: HostCall; call: ToolCall } {
  const { tool, sessionID: session, agent, input } = event
  const args = fieldsOf(input)
  const known = { tool: TOOLS[tool] ?? tool, args: renamed(args, ARGUMENTS[tool]) }
  const host = { id: callKey(event), session, agent, ...known }
  return { host, call: { ...readCall(host), tool, signature: [tool, args] } }
}

/** Identifies a call. The id alone is not enough: a model may reuse it in another answer, and calls in Code Mode share one. */
export function callKey({ messageID, id, tool }: Pick<CallEvent, "messageID" | "id" | "tool">): string {
  return `${messageID} ${id} ${tool}`
}

export function readResult2(event: AfterEvent): CallResult {
  const { tool, sessionID: session, agent, status, result, error } = event
  const texts = (result?.content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]))
  return {
    ...{ id: callKey(event), session, agent, tool },
    ok: status === "completed",
    exit: numberOf(result?.metadata?.["exit"]),
    said: error?.message ?? texts.join("\n"),
    isSilent: tool === "shell" && fieldsOf(result?.output)["output"] === "",
    isStopped: false,
    child: tool === "subagent" ? childOf(event) : null,
  }
}

export function addToResult2({ result, error }: AfterEvent, { notes, warnings }: AfterCall): void {
  const added = [...notes, ...warnings.map((warning) => warningElement(warning))]
  if (added.length === 0) return
  if (error !== undefined) error.message = [error.message, ...added].join("\n\n")
  // OpenCode 2 joins the parts of one text without a separator.
  else if (result !== undefined)
    result.content = [...result.content, { type: "text", text: `\n\n${added.join("\n\n")}` }]
}

/** Null for a subagent that still runs in the background: it has no report yet. */
function childOf({ result }: AfterEvent): CallResult["child"] {
  const session = result?.metadata?.["sessionID"]
  if (typeof session !== "string" || result?.metadata?.["status"] !== "completed") return null
  return { session, report: stringOf(fieldsOf(result?.output)["output"]) }
}

const TOOLS: Readonly<Record<string, string>> = { shell: "bash", subagent: "task" }
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  write: { path: "filePath" },
  edit: { path: "filePath" },
  subagent: { agent: "subagent_type" },
}
