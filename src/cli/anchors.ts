import type { Command } from "commander"
import { anchor as anchorSchema } from "../schemas/knowledge.ts"
import { HiveError } from "../shared/error.ts"
import { shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { type AnchorFilter, type AnchorRow, anchorDetail, listAnchorRows } from "../views/look/anchors.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { rowsWith, type Style, styleFor } from "./terminal/style.ts"

interface AnchorsOptions extends ListingOptions, Omit<AnchorFilter, "words"> {}

/** The anchors: facts by key that survive compaction. Reads only. */
export const anchorsCommand: CliCommand<AnchorsOptions> = {
  configure(command: Command) {
    const choice = (flags: string, words: string, options: readonly string[]) =>
      command.createOption(flags, words).choices(options)
    command
      .argument("[key]", "one in full: its key, its id, or the start of that")
      .addOption(choice("--priority <priority>", "only those", anchorSchema.shape.priority.options))
      .addOption(choice("--type <type>", "only those", anchorSchema.shape.type.options))
      .option("--stale", "only those that are old, or whose file has changed")
    addListingOptions(command).addHelpText("after", "\nExample: hivemind anchors --priority critical")
  },

  run: (input) =>
    withHive(input, ({ project, hive }): CliResult => {
      const [key] = input.args
      const { priority, type, stale, find } = input.options
      const style = styleFor(input.io.stdout, input.io.env)
      if (key !== undefined) {
        const anchor = forPeople(() => anchorDetail(hive, key))
        return { data: { project, anchor }, text: detailText(anchor, style) }
      }
      const paging = pagingOf(input.options)
      const page = listAnchorRows(
        hive,
        {
          ...(priority && { priority }),
          ...(type && { type }),
          ...(stale && { stale }),
          ...(find && { words: find }),
        },
        paging,
      )
      return listing(page, paging, {
        project,
        style,
        empty: priority || type || stale || find ? "No such anchor." : "There are no anchors yet.",
        render: ({ short, key: name, value, why }) => [
          `${style("cyan", short)} ${style("bold", shorten(name, MAX_KEY))}: ${shorten(value, MAX_VALUE)}`,
          `${" ".repeat(short.length)} ${style("dim", why)}`,
        ],
      })
    }),
}

/** The advice of the library is for agents, who have a tool for it. */
function forPeople<T>(find: () => T): T {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof HiveError) || error.code !== "not_found") throw error
    const { code, what, why, evidence } = error
    throw new HiveError({
      code,
      what,
      why,
      use_instead: "`hivemind anchors` shows them, with their keys.",
      evidence,
    })
  }
}

function detailText(anchor: AnchorRow, style: Style): string {
  const { id, key, value, priority, type, status, isStale, why, related_to, session_id, branch } = anchor
  const row = rowsWith(style, LABEL_WIDTH)
  return [
    style("bold", key),
    ...row("value", value.split("\n")),
    ...row("id", [id]),
    ...row("priority", [why === "" ? priority : why]),
    ...row("type", [type]),
    ...row("status", [isStale ? "stale" : status]),
    ...row("about", related_to),
    ...row("session", session_id === null ? [] : [session_id]),
    ...row("branch", branch === null ? [] : [branch]),
    ...row("changed", [localTime(anchor.updated_at)]),
  ].join("\n")
}

const MAX_KEY = 60
const MAX_VALUE = 160
const LABEL_WIDTH = 10
