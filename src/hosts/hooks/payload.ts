import { type Fields, fieldsOf, stringOf } from "../host-values.ts"
import type { HookAgent, HookAnswer, HookCall, HookEvent, Whose } from "./agent.ts"

/** Reads the fields of the main session; a subagent is added by the caller. */
export function mainIn(payload: Fields): Whose {
  return {
    session: stringOf(payload["session_id"]),
    subagent: null,
    cwd: stringOf(payload["cwd"]),
    transcript: stringOf(payload["transcript_path"]),
  }
}

/** Maps several tools of an agent to one tool of OpenCode. */
export function each(names: readonly string[], is: string, args = {}): HookAgent["tools"] {
  return Object.fromEntries(names.map((name) => [name, { is, args }]))
}

// The formats below are Claude Code's; Codex uses the same ones.

export function callIn(payload: Fields): HookCall {
  return {
    id: stringOf(payload["tool_use_id"]),
    tool: stringOf(payload["tool_name"]),
    args: fieldsOf(payload["tool_input"]),
  }
}

export function textOf(value: unknown): string {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map((block) => stringOf(fieldsOf(block)["text"])).join("\n")
  return value === undefined || value === null ? "" : JSON.stringify(value)
}

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

export function readEvent(payload: Fields): HookEvent[] {
  switch (payload["hook_event_name"]) {
    case "SessionStart":
      return [{ what: "session start", isCompacted: payload["source"] === "compact" }]
    // Codex also sends this event for the prompt of a subagent.
    case "UserPromptSubmit":
      return [{ what: "user message", text: stringOf(payload["prompt"]) }]
    case "PreToolUse":
      return [{ what: "before call", call: callIn(payload) }]
    case "SubagentStop":
      return [{ what: "subagent stop", said: stringOf(payload["last_assistant_message"]) }]
    case "Stop":
      return [{ what: "stop", said: stringOf(payload["last_assistant_message"]) }]
    default:
      return []
  }
}
