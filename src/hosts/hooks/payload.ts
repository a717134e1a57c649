import { type Fields, fieldsOf, stringOf } from "../host-values.ts"
import type { HookAnswer, HookCall } from "./agent.ts"

// Claude Code's payloads and answers, as far as Codex has taken them over.

export function callIn(payload: Fields): HookCall {
  return {
    id: stringOf(payload["tool_use_id"]),
    tool: stringOf(payload["tool_name"]),
    args: fieldsOf(payload["tool_input"]),
  }
}

export function sourceOf(source: unknown) {
  return source === "resume" || source === "clear" || source === "compact" ? source : "startup"
}

/** The text of a result: a string, text blocks, or an object. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map((block) => stringOf(fieldsOf(block)["text"])).join("\n")
  return value === undefined || value === null ? "" : JSON.stringify(value)
}

/** With the fields that are needed and no other. */
export function writeAnswer(event: string, { show, deny, goOn, tell }: HookAnswer): string {
  const specific =
    deny !== ""
      ? { permissionDecision: "deny", permissionDecisionReason: deny }
      : show !== ""
        ? { additionalContext: show }
        : undefined
  const answer = {
    ...(specific !== undefined && { hookSpecificOutput: { hookEventName: event, ...specific } }),
    ...(goOn !== "" && { decision: "block", reason: goOn }),
    ...(tell !== "" && { systemMessage: tell }),
  }
  return Object.keys(answer).length === 0 ? "" : JSON.stringify(answer)
}
