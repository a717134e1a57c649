import { type Command, Option } from "commander"
import { drain } from "../queue/queue.ts"
import { counted } from "../shared/amounts.ts"
import { shortId } from "../shared/ids.ts"
import { oneLine, shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { listQueue, type QueueRow } from "../views/look/queue.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface QueueOptions extends ListingOptions {
  state?: QueueRow["state"]
  apply?: boolean
}

/** What people asked for from outside a session, and what became of it. Reads only, but for `--apply`. */
export const queueCommand: CliCommand<QueueOptions> = {
  configure(command: Command) {
    command
      .addOption(new Option("--state <state>", "only those").choices(["waiting", "done", "refused"]))
      .option("--apply", "apply what waits now, where no other HiveMind process runs")
    addListingOptions(command).addHelpText("after", "\nExample: hivemind queue --state refused")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { state, find, apply } = input.options
      const style = styleFor(input.io.stdout, input.io.env)
      if (apply) for (let some = 1; some > 0; ) some = await applySome()
      const paging = pagingOf(input.options)
      const page = listQueue(hive, { ...(state && { state }), ...(find && { words: find }) }, paging)
      const listed = listing(page, paging, {
        project,
        style,
        empty: state || find ? "No such command." : "Nothing was asked for from outside.",
        render: (row) => render(row, style),
      })
      if (page.strange === 0) return listed
      const note = `${counted(page.strange, "line")} of the queue's file: no command, and skipped.`
      return { ...listed, text: `${listed.text}\n${style("yellow", note)}` }

      async function applySome(): Promise<number> {
        const { applied, refused } = await drain(hive)
        return applied + refused
      }
    }),
}

function render({ short, at, from, command, state, entry, refusal, note }: QueueRow, style: Style): string[] {
  const colour = { waiting: "yellow", done: "green", refused: "red" } as const
  const row = (label: string, value: string) => `    ${style("dim", `${label}:`)} ${oneLine(value)}`
  return [
    `${style("cyan", short)}  ${style("dim", localTime(at))}  ${style(colour[state], state)}  ${shorten(wordsOf(command), 100)}  (${oneLine(from)})`,
    ...(note === null ? [] : [row("done", note)]),
    // Undoing the entry of a restore leaves its files as they are; its note names the snapshot that undoes them.
    ...(entry === null || note !== null
      ? []
      : [row("entry", `${shortId(entry)}, \`hivemind undo ${shortId(entry)}\` takes it back`)]),
    ...(refusal === null
      ? []
      : [row("refused", refusal.what), row("why", refusal.why), row("instead", refusal.use_instead)]),
  ]
}

/** `edit_task task 1a2b3c4d, title Better`. */
function wordsOf(command: unknown): string {
  if (typeof command !== "object" || command === null) return JSON.stringify(command) ?? "nothing"
  const { do: name = "", ...more }: { do?: unknown } = command
  const given = Object.entries(more).map(([field, value]) => `${field} ${String(value)}`)
  return `${String(name)} ${given.join(", ")}`
}
