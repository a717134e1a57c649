import { drain } from "../queue/queue.ts"
import { counted } from "../shared/amounts.ts"
import { shortId } from "../shared/ids.ts"
import { oneLine, shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { listQueue, type QueueRow } from "../views/lists/queue.ts"
import { withHive } from "./project/open-project.ts"
import { type CliCommand, textLines } from "./terminal/command.ts"
import { listing } from "./terminal/listing.ts"
import { addListingOptions, choiceOption, definedOnly, type ListingOptions } from "./terminal/options.ts"
import type { Style } from "./terminal/style.ts"

export const command: CliCommand<ListingOptions & { state?: QueueRow["state"]; apply?: boolean }> = {
  configure(queue) {
    queue
      .addOption(
        choiceOption("--state <state>", "only changes in this state", ["waiting", "done", "refused"]),
      )
      .option("--apply", "apply the waiting changes now, even if no agent runs")
    addListingOptions(queue)
  },

  help: "Example: hivemind queue --state refused",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { state, find, apply } = input.options
      const { style } = input
      // One `drain` applies a limited number of commands, so it is called until none is left.
      for (let left = apply === true; left; ) {
        const { applied, refused } = await drain(hive)
        left = applied + refused > 0
      }
      const filter = definedOnly({ state, words: find })
      const page = listQueue(hive, filter, input.options)
      const { data, text } = listing(input, page, {
        filter,
        none: "No change was made in the dashboard or the panel.",
        noneFound: "No such command.",
        render: (row) => rowLines(row, style),
      })
      const note = `Skipped ${counted(page.strange, "line")} of the queue's file without a valid command.`
      return { data, text: page.strange === 0 ? text : [...text, style("yellow", note)] }
    }),
}

function rowLines(
  { short, at, from, state, entry, refusal, note, ...row }: QueueRow,
  style: Style,
): string[] {
  const colour = { waiting: "yellow", done: "green", refused: "red" } as const
  const detail = (label: string, value: string) => `    ${style("dim", `${label}:`)} ${oneLine(value)}`
  const undo = entry && `${shortId(entry)}, \`hivemind undo ${shortId(entry)}\` takes it back`
  return textLines([
    `${style("cyan", short)}  ${style("dim", localTime(at))}  ${style(colour[state], state)}  ${shorten(commandText(row.command), 100)}  (${oneLine(from)})`,
    // A restore's note names the snapshot that undoes the restore: undoing the log entry would not change files back.
    note === null ? undo && detail("entry", undo) : detail("done", note),
    refusal && detail("refused", refusal.what),
    refusal && detail("why", refusal.why),
    refusal && detail("instead", refusal.use_instead),
  ])
}

function commandText(command: unknown): string {
  if (typeof command !== "object" || command === null) return JSON.stringify(command) ?? "nothing"
  const { do: name = "", ...more }: { do?: unknown } = command
  const given = Object.entries(more).map(([field, value]) => `${field} ${String(value)}`)
  return `${String(name)} ${given.join(", ")}`
}
