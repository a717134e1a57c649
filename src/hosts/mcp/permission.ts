import { HiveError } from "../../shared/error.ts"
import type { Server } from "./sdk.ts"

/** Asks the person for leave to run a command, through the client. Rejects where they say no, or cannot be asked. */
export async function askThroughClient(
  server: Server,
  command: string,
  cwd: string,
  signal: AbortSignal,
): Promise<void> {
  if (server.getClientCapabilities()?.elicitation === undefined) throw cannotAsk(command)
  const { action } = await server.elicitInput(
    {
      message: `HiveMind wants to run in ${cwd}:\n\n${visible(command)}`,
      requestedSchema: { type: "object", properties: {} },
    },
    // Leave that comes after the call was taken back is for nothing.
    { signal, timeout: ANSWER_MS },
  )
  if (action !== "accept") throw declined(command)
}

/** A person allows what they read: signs that hide or turn text around are spelled out. */
function visible(command: string): string {
  return command.replace(HIDDEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}

function cannotAsk(command: string): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: "The command was not run.",
    why: "HiveMind runs no command that nobody has allowed, and this client cannot ask for leave.",
    use_instead:
      'Run it with your own shell. A task\'s verify counts only when HiveMind has run it: the user can let it, with "run_commands": "allow" in ~/.config/hivemind/config.json.',
    evidence: command.slice(0, MAX_SHOWN),
  })
}

function declined(command: string): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: "The command was not run.",
    why: "The user said no.",
    use_instead: "Ask the user what to do instead.",
    evidence: command.slice(0, MAX_SHOWN),
  })
}

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu
const MAX_SHOWN = 200
// A person reads the command first, and may be elsewhere.
const ANSWER_MS = 10 * 60_000
