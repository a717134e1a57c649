import { warningElement } from "../../context/pack/warning-item.ts"
import type { AfterCall, CallResult } from "../../turns/after-call.ts"
import { callKey } from "./calls.ts"
import type { AfterEvent } from "./context.ts"

/** Reads how a call has ended. A tool that failed by itself comes here too. */
export function readResult2(event: AfterEvent): CallResult {
  const { tool, sessionID: session, agent, status, result, error } = event
  const texts = (result?.content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]))
  const exit = result?.metadata?.["exit"]
  const printed = fieldOf(result?.output, "output")
  return {
    id: callKey(event),
    session,
    agent,
    tool,
    ok: status === "completed",
    exit: typeof exit === "number" ? exit : null,
    said: error?.message ?? texts.join("\n"),
    isSilent: tool === "shell" && printed === "",
    isStopped: false,
    child: tool === "subagent" ? childOf(event) : null,
  }
}

/** Adds what HiveMind has to say to a result. */
export function addToResult2({ result, error }: AfterEvent, { notes, warnings }: AfterCall): void {
  const added = [...notes, ...warnings.map((warning) => warningElement(warning))]
  if (added.length === 0) return
  if (error !== undefined) error.message = [error.message, ...added].join("\n\n")
  // Parts of one text are glued together without a space.
  else if (result !== undefined)
    result.content = [...result.content, { type: "text", text: `\n\n${added.join("\n\n")}` }]
}

/** A subagent that goes on in the background has not reported yet. */
function childOf({ result }: AfterEvent): CallResult["child"] {
  const session = result?.metadata?.["sessionID"]
  const report = fieldOf(result?.output, "output")
  if (typeof session !== "string" || result?.metadata?.["status"] !== "completed") return null
  return { session, report: typeof report === "string" ? report : "" }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
