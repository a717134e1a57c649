import type { Session } from "@opencode-ai/sdk"

/**
 * The permission rules that a session has of its own, beside those of the configuration: `opencode run` denies questions by
 * them, and a prompt may take tools away. Whatever is made to go on with its work, or works for it, keeps to them. They are in
 * OpenCode's answers and taken by it (seen with 1.18), but not in its types.
 */
export function rulesOf(session: Session & { permission?: unknown }): { permission?: unknown } {
  return session.permission === undefined ? {} : { permission: session.permission }
}
