import type { Command } from "commander"
import { oneLine } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { pageOf } from "../views/look/page.ts"
import { type RefusalRow, refusalsOf, requireRefusal } from "../views/look/refusals.ts"
import { findHostId } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { parseTime } from "./terminal/parse-time.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface RefusalsOptions extends ListingOptions {
  since?: string
  session?: string
  code?: string
}

/** What agents were kept from, why, and how to lift it. Reads only. */
export const refusalsCommand: CliCommand<RefusalsOptions> = {
  configure(command: Command) {
    command
      .argument("[id]", "one of them: its id, or the start of it")
      .option("--since <time>", "only those after: 2h, 3d, 2026-02-11, 2026-02-11T14:30")
      .option("--session <session>", "only those of that session: its stamp or id")
      .option("--code <code>", "only those of that kind: destructive, protected, scope, no_task, …")
    addListingOptions(command).addHelpText("after", "\nExample: hivemind refusals --since 2h")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }): Promise<CliResult> => {
      const { since, session, code, find } = input.options
      const [id] = input.args
      const style = styleFor(input.io.stdout, input.io.env)
      if (id !== undefined) {
        const refusal = requireRefusal(hive, id)
        return { data: { project, refusal }, text: render(refusal, style).join("\n") }
      }
      const all = refusalsOf(hive, {
        ...(since && { since: parseTime(since, "--since", hive.source.now()) }),
        ...(session && { session: await findHostId(hive, session) }),
        ...(code && { code }),
        ...(find && { words: find }),
      })
      const paging = pagingOf(input.options)
      return listing(pageOf(all, paging), paging, {
        project,
        style,
        empty: since || session || code || find ? "No such refusal." : "Nothing was refused.",
        render: (refusal) => render(refusal, style),
      })
    }),
}

function render(refused: RefusalRow, style: Style): string[] {
  const { short, at, what, why, use_instead, evidence, files, command, session, agent, times, lift } = refused
  const who = oneLine([agent, session].filter((part) => part !== null).join(", "))
  const often = times === 1 ? "" : `  ${style("yellow", `${times} times in a row`)}`
  const row = (label: string, value: string) => `    ${style("dim", `${label}:`)} ${value}`
  return [
    `${style("cyan", short)}  ${style("dim", localTime(at))}  ${style("red", what)}  (${who})${often}`,
    row("why", why),
    ...(files.length === 0 ? [] : [row("files", files.join(", "))]),
    ...(command === null ? [] : [row("command", command)]),
    row("instead", use_instead),
    ...(lift === null ? [] : [row("to lift", lift)]),
    ...(evidence === command || files.includes(evidence) ? [] : [row("evidence", evidence)]),
  ]
}
