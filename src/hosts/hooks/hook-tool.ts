import type { Fields } from "../host-values.ts"

// The thin client loads this file: it must import nothing.

/** The hidden tool of our server with which an agent runs a hook. */
export const HOOK_TOOL = "hook"

/** The fields of a payload that such a hook passes on; those that an event does not have are left empty. */
export const CALL_FIELDS = [
  ...["hook_event_name", "session_id", "transcript_path", "cwd", "agent_id", "agent_type"],
  ...["tool_name", "tool_input", "tool_use_id", "tool_response", "tool_calls", "error", "is_interrupt"],
]

/** The payload in the arguments of that tool: objects are JSON text there, and missing fields are "". */
export function payloadOf(given: Fields): Fields {
  const fields = Object.entries(given).filter(([, value]) => value !== "")
  return Object.fromEntries(fields.map(([name, value]) => [name, NESTED.has(name) ? parsed(value) : value]))
}

function parsed(value: unknown): unknown {
  try {
    return JSON.parse(String(value))
  } catch {
    return value // A plain text, or an object already.
  }
}

const NESTED = new Set(["tool_input", "tool_response", "tool_calls", "is_interrupt"])

/** Where hooks report that they ran, and do nothing else: set by `hivemind doctor`. */
export const HOOK_PROBE = "HIVEMIND_HOOK_PROBE"

/** True if the hook only had to report. */
export async function reportToDoctor(event: unknown, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const url = env[HOOK_PROBE]
  if (url === undefined) return false
  await fetch(`${url}?${new URLSearchParams({ event: String(event) })}`).catch(() => {}) // doctor has given up.
  return true
}

/** The folder that an agent works on, as it tells its hooks and servers; Codex tells it in each payload only. */
export function projectFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env["CLAUDE_PROJECT_DIR"] ?? env["GEMINI_PROJECT_DIR"]
}
