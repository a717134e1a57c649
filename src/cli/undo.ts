import { describeEntries } from "../views/log/log-entries.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"

/** Takes one entry of the log back. There is no question, because an undo is an entry that can be undone too. */
export const command: CliCommand = {
  configure(undo) {
    undo
      .argument("<entry>", "the entry's id from `hivemind log`, or the start of it")
      // Accepted without effect, because scripts pass `--yes` to every command that writes.
      .addOption(undo.createOption("-y, --yes").hideHelp())
  },

  help: "Example: hivemind undo 1a2b3c4d",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { store } = hive
      const by = { tool: "hivemind undo", session: null, agent: null }
      const entry = await store.undo(input.args[0] ?? "", by)
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
