import { HOOK_AGENTS } from "../hosts/hooks/agents.ts"
import { runHook } from "../hosts/hooks/hook-client.ts"
import type { CliCommand } from "./terminal/command.ts"

/** Defines the help and usage errors of `hivemind hook`. A hook call of an agent is handled in `main.ts`, which is faster. */
export const command: CliCommand = {
  configure(hook) {
    hook.argument("<agent>", HOOK_AGENTS.map(({ name }) => name).join(", "))
  },
  help: `Agents run this themselves after \`hivemind init --agent <agent>\`. It reads one event from standard input and answers
on standard output.`,
  async run({ args }) {
    await runHook(args[0] ?? "")
    return undefined
  },
}
