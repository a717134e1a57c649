import { HiveError } from "../../shared/error.ts"
import { withoutHidden } from "../../shared/text/clean.ts"
import type { CliResult } from "./command.ts"
import type { CliIo } from "./io.ts"

/** Asks a person yes or no; refuses if there is no terminal to ask on. `initial` is what Enter means. */
export async function ask(question: string, command: string, io: CliIo, initial = true): Promise<boolean> {
  if (io.stdin.isTTY !== true) {
    throw new HiveError({
      code: "invalid_argument",
      what: `\`hivemind ${command}\` asks before it changes anything, and cannot ask here.`,
      why: "The input is not a terminal.",
      use_instead: "Pass `--yes` to go ahead without a question.",
      evidence: "stdin is not a TTY",
    })
  }
  // Loaded only when there is something to ask, and shown on stderr: stdout is for the result.
  const { confirm } = await import("@clack/prompts")
  return (
    (await confirm({ message: withoutHidden(question), initialValue: initial, output: process.stderr })) ===
    true
  )
}

/** The result after a person has said no. */
export function declined(data: CliResult["data"], text = "Nothing was changed."): CliResult {
  return { data, text, trouble: true }
}

/**
 * Refuses what only a person may do if an agent has called it: if OpenCode started this shell. An agent runs as the same
 * user and could get around that, but not by just calling the command.
 */
export function requirePerson(io: CliIo, what: string): void {
  const evidence = signOfAgent(io)
  if (evidence === undefined) return
  throw new HiveError({
    code: "protected",
    what: `${what} needs a person.`,
    why: "An agent seems to have called this, and an action here counts as the user's own word.",
    use_instead: "If you are the user, run it in a terminal of your own, outside of OpenCode.",
    evidence,
  })
}

/** Whether OpenCode started this shell. */
export function isCalledByAgent(io: CliIo): boolean {
  return signOfAgent(io) !== undefined
}

function signOfAgent({ env, ancestors }: CliIo): string | undefined {
  const name = SET_BY_HOST.find((each) => env[each] !== undefined && env[each] !== "")
  if (name !== undefined) return `the environment has ${name}`
  const host = ancestors().find((each) => /opencode/i.test(each))
  return host === undefined ? undefined : `started by ${host}`
}

// OpenCode sets the first two for all that it starts; its plugin the third for what its shell runs. The others are set by
// Claude Code and Gemini CLI.
const SET_BY_HOST = ["OPENCODE", "OPENCODE_PID", "HIVEMIND_SESSION", "CLAUDECODE", "GEMINI_CLI"]
