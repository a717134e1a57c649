import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import { flagMem, memFlag } from "../knowledge/memory/change.ts"
import { memKind } from "../schemas/knowledge.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { hivePaths } from "../store/files/layout.ts"
import { LOG_REF } from "../sync/ref.ts"
import { resetHive } from "../sync/reset.ts"
import { listMemRows, type MemDetail, type MemFilter, memDetail } from "../views/look/mems.ts"
import { requireHive, withOldMems } from "./project/open-project.ts"
import { ask } from "./terminal/ask.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { requirePerson } from "./terminal/require-person.ts"
import { rowsWith, type Style, styleFor } from "./terminal/style.ts"

interface MemoryOptions extends ListingOptions, Omit<MemFilter, "words"> {
  reason?: string
  reset?: boolean
  yes?: boolean
}

/** The mems in force, one of them in full, or one taken back. */
export const memoryCommand: CliCommand<MemoryOptions> = {
  configure(command: Command) {
    command
      .argument("[what]", "a mem's id for one in full; or list (default), show, flag")
      .argument("[id]", "for show and flag: a mem's id, or the start of it")
      .option("--shelf <shelf>", "only those on that shelf")
      .addOption(command.createOption("--kind <kind>", "only those").choices(memKind.options))
      .option("--task <id>", "only those that came from that task")
      .option("--all", "also those that were taken back or replaced, and are not archived")
      .option("--reason <reason>", "for flag: why it was wrong")
      .option("--reset", "delete all plans, tasks and memories for good, and their backup")
      .option("-y, --yes", "with --reset: do not ask")
    addListingOptions(command).addHelpText(
      "after",
      '\nExample: hivemind memory flag 1a2b3c4d --reason "the cache hides errors"',
    )
  },

  run: (input) => {
    if (input.options.reset === true) return reset(input)
    return withOldMems(input, async ({ project, hive }): Promise<CliResult> => {
      const [what = "list", id] = input.args
      const style = styleFor(input.io.stdout, input.io.env)
      if (what === "list") return list(project, hive, input.options, style)
      const wanted = WHAT.has(what) ? id : what
      if (wanted === undefined) throw needs(what, "the id of a mem")
      if (what === "flag") return flag(project, hive, wanted, input.options.reason)
      if (what !== "show" && id !== undefined)
        throw needs(what, "one id, or one of list, show, flag before it")
      const detail = memDetail(hive, wanted)
      return { data: { project, ...detail }, text: detailText(detail, style) }
    })
  },
}

async function reset({ dir, options, io }: CliInput<MemoryOptions>): Promise<CliResult> {
  requirePerson(io, "Emptying a hive")
  const place = await requireHive(dir)
  const what = `all plans, tasks and memories in ${hivePaths(place.home).root}, and their backup`
  if (options.yes !== true && !(await ask(`Delete ${what}, for good?`, "memory --reset", io, false)))
    return { data: { project: place.home, reset: false }, text: "Nothing was changed.", trouble: true }
  const { isShared } = await resetHive(place)
  const lines = [
    `Deleted ${what}.`,
    ...(isShared
      ? [
          `Note: ${LOG_REF} still has what was shared, and other clones keep theirs. It does not come back here; \`hivemind uninstall --purge\` deletes it from this repository.`,
        ]
      : []),
  ]
  return { data: { project: place.home, reset: true, shared: isShared }, text: lines.join("\n") }
}

function list(project: string, hive: Hive, options: MemoryOptions, style: Style): CliResult {
  const { shelf, kind, task, all, find } = options
  const paging = pagingOf(options)
  const page = listMemRows(
    hive,
    {
      ...(shelf && { shelf }),
      ...(kind && { kind }),
      ...(task && { task }),
      ...(all && { all }),
      ...(find && { words: find }),
    },
    paging,
  )
  return listing(page, paging, {
    project,
    style,
    empty: shelf || kind || task || find ? "No such mem." : "Nothing is remembered yet.",
    render: (mem) => [
      `${style("cyan", mem.short)} ${mem.shelf}/${mem.kind}${mem.status === "active" ? "" : `, ${mem.status}`}  ${shorten(mem.content, MAX_LINE)}`,
    ],
  })
}

async function flag(project: string, hive: Hive, id: string, reason: string | undefined): Promise<CliResult> {
  const parsed = memFlag.safeParse({ mem_id: id, reason })
  if (!parsed.success) throw needs("flag", "an id of at least 8 characters, and --reason")
  const mem = await flagMem(hive, { session: null, agent: null, tool: "hivemind memory" }, parsed.data)
  return { data: { project, mem }, text: `${shortId(mem.id)} is a false path now: ${mem.reason ?? ""}` }
}

function detailText(detail: MemDetail, style: Style): string {
  const { mem, archived, evidence, isUnverified, confidence, recalled } = detail
  const row = rowsWith(style, 16)
  const shown = {
    ...mem,
    evidence: evidence.map((each) => `${each.evidence}${each.state === null ? "" : ` (${each.state})`}`),
    confidence: `${mem.confidence}, now ${confidence.toFixed(2)}${isUnverified ? " (unverified)" : ""}`,
  }
  return [
    ...Object.entries(shown).flatMap(([name, value]) => row(name, valueLines(value))),
    ...row(
      "recalled",
      recalled.at === null ? [] : [`${counted(recalled.count, "time")}, last ${recalled.at}`],
    ),
    ...row("archived", archived ? ["yes"] : []),
  ].join("\n")
}

function valueLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String)
  return value === null ? [] : String(value).split("\n")
}

function needs(what: string, missing: string): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `${what} needs ${missing}.`,
    why: "It is about one mem.",
    use_instead: "`hivemind recall <words>` and `hivemind memory` show ids.",
    evidence: `hivemind memory ${what}`,
  })
}

const WHAT = new Set(["list", "show", "flag"])
const MAX_LINE = 160
