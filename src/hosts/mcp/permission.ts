import { HiveError } from "../../shared/error.ts"
import type { Server } from "./sdk.ts"

/** Asks the user, through the client, for permission to run a command. Rejects if they decline or cannot be asked. */
export async function askThroughClient(
  server: Server,
  command: string,
  cwd: string,
  signal: AbortSignal,
): Promise<void> {
  if (server.getClientCapabilities()?.elicitation === undefined) throw notRun(command, ...CANNOT_ASK)
  const { action } = await server.elicitInput(
    {
      message: `HiveMind wants to run in ${cwd}:\n\n${visible(command)}`,
      requestedSchema: { type: "object", properties: {} },
    },
    // A cancelled call cancels its question.
    { signal, timeout: ANSWER_MS },
  )
  if (action !== "accept") throw notRun(command, "The user said no.", "Ask the user for an alternative.")
}

/** Spells out invisible characters and those that change the direction of text: the user must be able to read what they allow. */
function visible(command: string): string {
  return command.replace(HIDDEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}

function notRun(command: string, why: string, useInstead: string): HiveError {
  return new HiveError({
    code: "not_allowed",
    what: "The command was not run.",
    why,
    use_instead: useInstead,
    evidence: command.slice(0, MAX_SHOWN),
  })
}

const CANNOT_ASK = [
  "HiveMind runs no command without permission, and this client cannot ask for it.",
  'Run it with your own shell. A task\'s verify counts only when HiveMind has run it: the user can let it, with "run_commands": "allow" in ~/.config/hivemind/config.json.',
] as const
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu
const MAX_SHOWN = 200
// The user reads the command first, and may be away.
const ANSWER_MS = 10 * 60_000
