import type { Command } from "commander"
import { injectedFile, lastInjectedSession } from "../context/inject/injected-file.ts"
import type { Injection } from "../context/inject/record.ts"
import { pressureOf } from "../graph/pressure.ts"
import { counted } from "../shared/amounts.ts"
import { localTime } from "../shared/time.ts"
import { hivePaths } from "../store/files/layout.ts"
import { findSession } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { droppedItemLines, packedItemLines } from "./terminal/packed-items.ts"
import { windowText } from "./terminal/window-text.ts"

interface ContextOptions {
  session?: string
}

/** Per turn: what was put before the model, why each item was chosen, what was dropped, and its tokens. Reads only. */
export const contextCommand: CliCommand<ContextOptions> = {
  configure(command: Command) {
    command
      .option("--session <session>", "its stamp or id (default: the one that was last sent something)")
      .addHelpText("after", "\nExample: hivemind context --session 301411022026")
  },

  run: (input) =>
    withHive(input, ({ project, hive }) => {
      const paths = hivePaths(project)
      const { session: wanted } = input.options
      const session =
        wanted === undefined
          ? lastInjectedSession(paths)
          : findSession(hive.store.read().state, wanted).host_id
      const turns = session === undefined ? [] : injectedFile(paths, session).read()
      const total = turns.reduce((sum, { tokens }) => sum + tokens, 0)
      const pressure = pressureOf(hive.store.read().state, session ?? null) ?? null
      const text =
        turns.length === 0
          ? "Nothing has been injected yet."
          : [
              `Session ${session}: ${counted(turns.length, "message")}, ${total} tokens in all`,
              ...(pressure === null ? [] : [windowText(pressure)]),
              ...turns.map(turnText),
            ].join("\n\n")
      return { data: { project, session: session ?? null, tokens: total, window: pressure, turns }, text }
    }),
}

function turnText(
  { at, kind, tokens, budget, reason, items, gone, dropped, pruned }: Injection,
  index: number,
): string {
  const share = kind === "none" ? "" : ` of ${budget}`
  const lines = [`${index + 1}. ${localTime(at)}  ${kind}, ${tokens}${share} tokens: ${reason}`]
  if (gone.length > 0) lines.push(`  no longer so: ${gone.length}`)
  if (pruned.length > 0) lines.push(`  old tool output taken out: ${pruned.length}`)
  return [...lines, ...packedItemLines(items), ...droppedItemLines(dropped)].join("\n")
}
