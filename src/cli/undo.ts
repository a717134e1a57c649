import type { Command } from "commander"
import type { Author } from "../schemas/entry.ts"
import { describeEntries } from "../views/log/log-entries.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"

/** Takes one entry of the log back. It asks nothing: an undo is an entry too, and can itself be undone. */
export const command: CliCommand = {
  configure(undo: Command) {
    undo
      .argument("<entry>", "the entry's id from `hivemind log`, or the start of it")
      // Scripts pass it to every command that writes; there is no question here for it to answer.
      .addOption(undo.createOption("-y, --yes").hideHelp())
      .addHelpText("after", "\nExample: hivemind undo 1a2b3c4d")
  },

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { store } = hive
      const entry = await store.undo(input.args[0] ?? "", BY)
      const log = await store.log()
      const chosen = new Set(log.filter((each) => each.id === entry.id))
      const described = describeEntries(log, chosen, store.read().state)[0]
      const changes = described?.changes ?? []
      return {
        data: { undone: entry.undoes, entry, changes },
        text: [
          `Took back ${described?.undoes ?? entry.undoes}:`,
          ...changes.map((line) => `    ${line}`),
          `\`hivemind undo ${described?.short ?? entry.id}\` brings it back.`,
        ],
      }
    }),
}

const BY: Author = { tool: "hivemind undo", session: null, agent: null }
