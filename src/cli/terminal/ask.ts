import { HiveError } from "../../shared/error.ts"
import { withoutHidden } from "../../shared/text/clean.ts"
import type { CliIo } from "./io.ts"

/** Asks a person yes or no. Without one at the keyboard it refuses rather than guess. `initial` is what Enter means. */
export async function ask(question: string, command: string, io: CliIo, initial = true): Promise<boolean> {
  if (io.stdin.isTTY !== true) {
    throw new HiveError({
      code: "invalid_argument",
      what: `\`hivemind ${command}\` asks before it changes anything, and nobody is there to answer.`,
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
