import type { Command } from "commander"
import { pressureOf } from "../graph/pressure.ts"
import { counted } from "../shared/amounts.ts"
import { localTime } from "../shared/time.ts"
import { tools } from "../tools/index.ts"
import { PROTOCOL } from "../turns/protocol.ts"
import { fixedCost } from "../views/context/fixed-cost.ts"
import { lastToldSession, type Turn, turnsOf } from "../views/context/turns.ts"
import { findHostId } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, pagedNewest } from "./terminal/listing.ts"
import { droppedItemLines, packedItemLines } from "./terminal/packed-items.ts"
import { fixedText, wordLines } from "./terminal/replay-text.ts"
import { type Style, styleFor } from "./terminal/style.ts"
import { windowText } from "./terminal/window-text.ts"

interface ContextOptions extends ListingOptions {
  session?: string
}

/**
 * Per turn: the words that were put before the model, why each item was chosen, what was dropped, and its tokens; and what
 * every request costs besides. Reads only.
 */
export const contextCommand: CliCommand<ContextOptions> = {
  configure(command: Command) {
    command.option("--session <session>", "its stamp or id (default: the one that was last sent something)")
    addListingOptions(command, "5").addHelpText(
      "after",
      "\nThe newest turns come on the first page; `hivemind replay <turn>` has one with all around it.\nExample: hivemind context --session 301411022026",
    )
  },

  run: (input) =>
    withHive(input, async ({ project, hive }): Promise<CliResult> => {
      const { session: wanted, find } = input.options
      const { state } = hive.store.read()
      const session = wanted === undefined ? lastToldSession(hive) : await findHostId(hive, wanted)
      const turns = turnsOf(hive, session)
      const total = turns.reduce((sum, { tokens }) => sum + tokens, 0)
      const window = pressureOf(state, session) ?? null
      const fixed = fixedCost(PROTOCOL, tools)
      const { page, note } = pagedNewest(turns, input.options, ({ parts }) => parts.join("\n"))
      const style = styleFor(input.io.stdout, input.io.env)
      const text =
        turns.length === 0
          ? `Nothing has been injected yet.\n\n${fixedText(fixed)}`
          : [
              `Session ${session}: ${counted(turns.length, "message")}, ${total} tokens in all`,
              ...(window === null ? [] : [windowText(window)]),
              fixedText(fixed),
              ...(page.total === 0
                ? [`No turn with "${find}" in it.`]
                : page.items.map((turn) => turnText(turn, style))),
              ...(note === undefined ? [] : [style("dim", note)]),
            ].join("\n\n")
      return { data: { project, session, tokens: total, window, fixed, ...page }, text }
    }),
}

function turnText(turn: Turn, style: Style): string {
  const { at, kind, tokens, budget, reason, parts, items, gone, dropped, pruned } = turn
  const share = kind === "none" ? "" : ` of ${budget}`
  return [
    `${turn.turn}. ${localTime(at)}  ${kind}, ${tokens}${share} tokens: ${reason}`,
    ...(gone.length > 0 ? [`  no longer so: ${gone.length}`] : []),
    ...(pruned.length > 0 ? [`  old tool output taken out: ${pruned.length}`] : []),
    ...wordLines(parts),
    ...[...packedItemLines(items), ...droppedItemLines(dropped)].map((line) => style("dim", line)),
  ].join("\n")
}
