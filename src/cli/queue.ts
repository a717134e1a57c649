import type { Command } from "commander"
import { drain } from "../queue/queue.ts"
import { counted } from "../shared/amounts.ts"
import { shortId } from "../shared/ids.ts"
import { oneLine, shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { listQueue, type QueueRow } from "../views/lists/queue.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { listing } from "./terminal/listing.ts"
import { addListingOptions, choiceOption, definedOnly, type ListingOptions } from "./terminal/options.ts"
import type { Style } from "./terminal/style.ts"

interface QueueOptions extends ListingOptions {
  state?: QueueRow["state"]
  apply?: boolean
}

/** Changes that people asked for outside a session, and their outcome. Reads only, but for `--apply`. */
export const command: CliCommand<QueueOptions> = {
  configure(queue: Command) {
    queue
      .addOption(choiceOption("--state <state>", "only those", ["waiting", "done", "refused"]))
      .option("--apply", "apply waiting commands now, if no other HiveMind process runs")
    addListingOptions(queue).addHelpText("after", "\nExample: hivemind queue --state refused")
  },

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { state, find, apply } = input.options
      const { style } = input
      // A drain takes a limited number at once.
      for (let left = apply === true; left; ) {
        const { applied, refused } = await drain(hive)
        left = applied + refused > 0
      }
      const filter = definedOnly({ state, words: find })
      const page = listQueue(hive, filter, input.options)
      const { data, text } = listing(input, page, {
        filter,
        none: "Nothing was asked for from outside.",
        noneFound: "No such command.",
        render: (row) => rowLines(row, style),
      })
      const note = `${counted(page.strange, "line")} of the queue's file: no command, and skipped.`
      return { data, text: page.strange === 0 ? text : [...text, style("yellow", note)] }
    }),
}

function rowLines(
  { short, at, from, command: asked, state, entry, refusal, note }: QueueRow,
  style: Style,
): string[] {
  const colour = { waiting: "yellow", done: "green", refused: "red" } as const
  const row = (label: string, value: string) => `    ${style("dim", `${label}:`)} ${oneLine(value)}`
  const undo = entry && `${shortId(entry)}, \`hivemind undo ${shortId(entry)}\` takes it back`
  return [
    `${style("cyan", short)}  ${style("dim", localTime(at))}  ${style(colour[state], state)}  ${shorten(commandText(asked), 100)}  (${oneLine(from)})`,
    // Undoing the entry of a restore leaves its files as they are; its note names the snapshot that undoes them.
    ...(note !== null ? [row("done", note)] : undo === null ? [] : [row("entry", undo)]),
    ...(refusal === null
      ? []
      : [row("refused", refusal.what), row("why", refusal.why), row("instead", refusal.use_instead)]),
  ]
}

/** `edit_task task 1a2b3c4d, title Better`. */
function commandText(command: unknown): string {
  if (typeof command !== "object" || command === null) return JSON.stringify(command) ?? "nothing"
  const { do: name = "", ...more }: { do?: unknown } = command
  const given = Object.entries(more).map(([field, value]) => `${field} ${String(value)}`)
  return `${String(name)} ${given.join(", ")}`
}
