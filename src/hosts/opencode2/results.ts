import { warningElement } from "../../context/pack/record-items.ts"
import type { AfterCall, CallResult } from "../../turns/after-call.ts"
import { fieldsOf, numberOf, stringOf } from "../host-values.ts"
import { callKey } from "./calls.ts"
import type { AfterEvent } from "./context.ts"

/** The outcome of a call, also of one that failed by itself. */
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

/** Adds notes and warnings to a result. */
export function addToResult2({ result, error }: AfterEvent, { notes, warnings }: AfterCall): void {
  const added = [...notes, ...warnings.map((warning) => warningElement(warning))]
  if (added.length === 0) return
  if (error !== undefined) error.message = [error.message, ...added].join("\n\n")
  // OpenCode 2 joins the parts of one text without a separator.
  else if (result !== undefined)
    result.content = [...result.content, { type: "text", text: `\n\n${added.join("\n\n")}` }]
}

/** A subagent that goes on in the background has not reported yet. */
function childOf({ result }: AfterEvent): CallResult["child"] {
  const session = result?.metadata?.["sessionID"]
  if (typeof session !== "string" || result?.metadata?.["status"] !== "completed") return null
  return { session, report: stringOf(fieldsOf(result?.output)["output"]) }
}
