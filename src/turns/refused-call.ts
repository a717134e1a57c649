import type { RefusedCall } from "../schemas/refusal.ts"
import type { Refusal } from "../shared/error.ts"

/** A call and why it was refused, as it is kept. */
export function refusedCall(
  {
    session,
    agent,
    tool,
    files,
    command,
    task,
  }: Pick<RefusedCall, "session" | "agent" | "tool" | "files" | "command" | "task">,
  { code, what, why, use_instead, evidence }: Refusal,
  now: number,
): RefusedCall {
  const at = new Date(now).toISOString()
  return {
    at,
    session,
    agent,
    tool,
    code,
    what,
    why,
    use_instead,
    evidence,
    files,
    command,
    task: task ?? null,
  }
}
