import type { Command } from "commander"
import { untakenNotice } from "../migrate/take-over/notice.ts"
import { packedState } from "../views/packed/packed-state.ts"
import { findHostId } from "./project/find-session.ts"
import { withOldMems } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { droppedItemLines, packedItemLines } from "./terminal/packed-items.ts"
import { parseTime } from "./terminal/parse-time.ts"

interface PackOptions {
  session?: string
  asOf?: string
  explain?: boolean
}

/** Prints the block that the model would be sent in full, now or at an earlier moment. Reads only. */
export const packCommand: CliCommand<PackOptions> = {
  configure(command: Command) {
    command
      .option("--session <session>", "as that session sees it: its stamp or id (default: the project)")
      .option("--as-of <time>", "as it was then: 2h, 3d, 2026-02-11, 2026-02-11T14:30")
      .option("--explain", "with each item's reason and tokens, and what was dropped")
      .addHelpText("after", "\nExample: hivemind pack --as-of 2h --explain")
  },

  run: (input) =>
    withOldMems(input, async ({ project, hive }) => {
      const { session, asOf, explain } = input.options
      const time = asOf === undefined ? undefined : parseTime(asOf, "--as-of", hive.source.now())
      const state = time === undefined ? hive.store.read().state : await hive.store.asOf(time)
      const host = session === undefined ? null : await findHostId(hive, session, state)
      const { xml, items, dropped, tokens } = await packedState(hive, { session: host, asOf: time })
      const as_of = time === undefined ? null : new Date(time).toISOString()
      const explained = [
        xml,
        "",
        `${tokens} tokens`,
        ...packedItemLines(items),
        ...droppedItemLines(dropped),
      ].join("\n")
      const older = time === undefined ? untakenNotice(project) : undefined
      return {
        data: {
          project,
          session: host,
          as_of,
          tokens,
          xml,
          ...(explain ? { items, dropped } : {}),
          ...(older === undefined ? {} : { older_files: older }),
        },
        text: [explain ? explained : xml, older ?? []].flat().join("\n\n"),
      }
    }),
}
