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
  // Loaded only if there is a question. Prompts go to stderr, because stdout is for the result.
  const { confirm } = await import("@clack/prompts")
  return (
    (await confirm({ message: withoutHidden(question), initialValue: initial, output: process.stderr })) ===
    true
  )
}

export function declined(data: CliResult["data"], text = "Nothing was changed."): CliResult {
  return { data, text, trouble: true }
}

/** Refuses an agent that calls the command. An agent that runs as the same user could still get around this. */
export function requirePerson(io: CliIo, what: string): void {
  const evidence = signOfAgent(io)
  if (evidence === undefined) return
  throw new HiveError({
    code: "protected",
    what: `${what} needs a person.`,
    why: "An agent seems to have run this, but it counts as a decision of the user.",
    use_instead: "If you are the user, run it in a terminal of your own, outside of OpenCode.",
    evidence,
  })
}

/** Evidence that an agent runs this command; undefined if there is none. */
export function signOfAgent({ env, ancestors }: CliIo): string | undefined {
  const name = SET_BY_HOST.find((each) => env[each] !== undefined && env[each] !== "")
  if (name !== undefined) return `the environment variable ${name} is set`
  const host = ancestors().find((each) => /opencode/i.test(each))
  return host === undefined ? undefined : `started by ${host}`
}

// OpenCode sets the first two for every process that it starts, and our plugin sets the third in OpenCode's shell. Claude Code
// and Gemini CLI set the others.
const SET_BY_HOST = ["OPENCODE", "OPENCODE_PID", "HIVEMIND_SESSION", "CLAUDECODE", "GEMINI_CLI"]
