import { HiveError } from "../../shared/error.ts"
import type { CliIo } from "./io.ts"

/**
 * Refuses what only a person may do where an agent is at the keyboard: where the shell was handed down by OpenCode, or,
 * for what nobody scripts, where there is no terminal. An agent runs as the same user: whoever wants to cheat can, but
 * not by just calling the command.
 */
export function requirePerson(io: CliIo, what: string, { terminal }: { terminal: boolean }): void {
  const evidence = signOfAgent(io, terminal)
  if (evidence === undefined) return
  throw new HiveError({
    code: "protected",
    what: `${what} takes a person.`,
    why: "It looks as if an agent had called this: what is done here counts as the user's own word.",
    use_instead: "If you are the user, run it in a terminal of your own, outside of OpenCode.",
    evidence,
  })
}

/** Was the shell handed down by OpenCode? */
export function isCalledByAgent(io: CliIo): boolean {
  return signOfAgent(io, false) !== undefined
}

function signOfAgent({ env, stdin, ancestors }: CliIo, terminal: boolean): string | undefined {
  const name = HANDED_DOWN.find((each) => env[each] !== undefined && env[each] !== "")
  if (name !== undefined) return `the environment has ${name}`
  if (terminal && stdin.isTTY !== true) return "stdin is not a terminal"
  const host = ancestors().find((each) => /opencode/i.test(each))
  return host === undefined ? undefined : `started by ${host}`
}

// OpenCode sets the first two for all that it starts; its plugin the last for what its shell runs.
const HANDED_DOWN = ["OPENCODE", "OPENCODE_PID", "HIVEMIND_SESSION"]
