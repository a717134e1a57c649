import { HiveError } from "../../shared/error.ts"
import type { CliIo } from "./io.ts"

/**
 * Refuses what only a person may do where an agent has called it: where the shell was handed down by OpenCode. An agent
 * runs as the same user and could get around that, but not by just calling the command.
 */
export function requirePerson(io: CliIo, what: string): void {
  const evidence = signOfAgent(io)
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
  return signOfAgent(io) !== undefined
}

function signOfAgent({ env, ancestors }: CliIo): string | undefined {
  const name = HANDED_DOWN.find((each) => env[each] !== undefined && env[each] !== "")
  if (name !== undefined) return `the environment has ${name}`
  const host = ancestors().find((each) => /opencode/i.test(each))
  return host === undefined ? undefined : `started by ${host}`
}

// OpenCode sets the first two for all that it starts; its plugin the last for what its shell runs.
const HANDED_DOWN = ["OPENCODE", "OPENCODE_PID", "HIVEMIND_SESSION"]
