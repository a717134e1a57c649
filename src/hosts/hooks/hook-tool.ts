import type { Fields } from "../host-values.ts"

// Every hook process loads this file, so it must not import any code.

/** A hidden tool of the MCP server, which an agent calls to run a hook. */
export const HOOK_TOOL = "hook"

/** The payload fields that Claude Code's hooks pass to this tool; a field that the event lacks is "". */
export const CALL_FIELDS = [
  ...["hook_event_name", "session_id", "transcript_path", "cwd", "agent_id", "agent_type"],
  ...["tool_name", "tool_input", "tool_use_id", "tool_response", "tool_calls", "error", "is_interrupt"],
]

/** Reads the payload from the hidden tool's arguments: objects arrive as JSON text, missing fields as "". */
export function payloadOf(given: Fields): Fields {
  const fields = Object.entries(given).filter(([, value]) => value !== "")
  return Object.fromEntries(fields.map(([name, value]) => [name, NESTED.has(name) ? parsed(value) : value]))
}

function parsed(value: unknown): unknown {
  try {
    return JSON.parse(String(value))
  } catch {
    return value // It is plain text, or already an object.
  }
}

const NESTED = new Set(["tool_input", "tool_response", "tool_calls", "is_interrupt"])

/** A URL that `hivemind doctor` sets: hooks then only report to it that they ran. */
export const HOOK_PROBE = "HIVEMIND_HOOK_PROBE"

export async function reportToDoctor(event: unknown, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const url = env[HOOK_PROBE]
  if (url === undefined) return false
  await fetch(`${url}?${new URLSearchParams({ event: String(event) })}`).catch(() => {}) // doctor no longer listens.
  return true
}

/** Undefined for Codex, which names the folder only in its payloads. */
export function projectFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env["CLAUDE_PROJECT_DIR"] ?? env["GEMINI_PROJECT_DIR"]
}
