import type { Command } from "commander"
import { localTime } from "../shared/time.ts"
import { type Hit, trace } from "../views/trace/trace.ts"
import { withOldMems } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { type Style, styleFor } from "./terminal/style.ts"

/** Everything that carries a stamp, in the order it happened. Reads only. */
export const traceCommand: CliCommand = {
  configure(command: Command) {
    command
      .argument("<stamp>", "of a session, plan, task…: mmHHDDMMYYYY, as in the name of a session file")
      .addHelpText("after", "\nExample: hivemind trace 301411022026")
  },

  run: (input) =>
    withOldMems(input, async ({ project, hive }) => {
      const found = await trace(hive, input.args[0] ?? "")
      const { stamp, hits, left_out, notes } = found
      const style = styleFor(input.io.stdout, input.io.env)
      const more = Object.entries(left_out).map(([source, n]) => `${n} more of ${source}, older`)
      const lines = [
        ...(hits.length === 0 ? [`Nothing carries the stamp ${stamp}.`] : render(hits, style)),
        ...[...more, ...notes].map((note) => style("dim", note)),
      ]
      return { data: { project, ...found }, text: lines.join("\n"), trouble: hits.length === 0 }
    }),
}

function render(hits: Hit[], style: Style): string[] {
  const width = Math.max(...hits.map(({ where }) => where.length))
  return hits.map(({ at, source, where, text }) => {
    const time = at === null ? " ".repeat(NO_TIME) : localTime(at)
    return `${style("dim", time)}  ${style("cyan", source.padEnd(6))}  ${where.padEnd(width)}  ${text}`
  })
}

const NO_TIME = "2026-02-11 14:30:05".length
