import type { Command } from "commander"
import { HiveError } from "../shared/error.ts"
import { tools } from "../tools/index.ts"
import { PROTOCOL } from "../turns/protocol.ts"
import { fixedCost } from "../views/context/fixed-cost.ts"
import { replayTurn } from "../views/context/replay.ts"
import { lastToldSession } from "../views/context/turns.ts"
import { findHostId } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { replayText } from "./terminal/replay-text.ts"
import { styleFor } from "./terminal/style.ts"

interface ReplayOptions {
  session?: string
}

/** All that the model saw of us on a past turn. Reads only. */
export const replayCommand: CliCommand<ReplayOptions> = {
  configure(command: Command) {
    command
      .argument("<turn>", "its number, as `hivemind context` shows it, or the id of its message")
      .option("--session <session>", "its stamp or id (default: the one that was last sent something)")
      .addHelpText("after", "\nExample: hivemind replay 3 --session 301411022026")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const [turn = ""] = input.args
      const { session: wanted } = input.options
      const session = wanted === undefined ? lastToldSession(hive) : await findHostId(hive, wanted)
      if (session === null) throw nothingYet(turn)
      const replay = await replayTurn(hive, session, turn)
      const fixed = fixedCost(PROTOCOL, tools)
      const style = styleFor(input.io.stdout, input.io.env)
      return { data: { project, ...replay, fixed }, text: replayText(replay, fixed, style) }
    }),
}

function nothingYet(turn: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: "There is no turn to show.",
    why: "No model has been told anything in this project yet.",
    use_instead: "Start a session in OpenCode first.",
    evidence: turn,
  })
}
