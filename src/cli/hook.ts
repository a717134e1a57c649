import { HOOK_AGENTS } from "../hosts/hooks/agents.ts"
import { runHook } from "../hosts/hooks/hook-client.ts"
import type { CliCommand } from "./terminal/command.ts"

/** `main.ts` runs it without the command line; here are its help and its errors. */
export const command: CliCommand = {
  configure(hook) {
    hook
      .argument("<agent>", HOOK_AGENTS.map(({ name }) => name).join(", "))
      .addHelpText(
        "after",
        "\nAn agent runs it by itself: see `hivemind init --agent <agent>`. It reads one event from standard input and answers on\nstandard output.",
      )
  },
  async run({ args }) {
    await runHook(args[0] ?? "")
    return undefined
  },
}
