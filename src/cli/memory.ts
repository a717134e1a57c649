import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import { flagMem, purgeMems } from "../knowledge/memory/change.ts"
import { newMem, saveMem } from "../knowledge/memory/save.ts"
import { checked } from "../schemas/checked.ts"
import { anchor as anchorSchema, memKind } from "../schemas/knowledge.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { hivePaths } from "../store/files/layout.ts"
import { resetHive } from "../sync/backup.ts"
import { LOG_REF } from "../sync/ref.ts"
import {
  type AnchorFilter,
  type AnchorRow,
  anchorDetail,
  listAnchorRows,
  listMemRows,
  type MemDetail,
  type MemFilter,
  memDetail,
} from "../views/lists/mems.ts"
import { requireHive, withHive } from "./project/open-project.ts"
import { changeForPerson, requireIdArgument } from "./project/person-change.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { listing } from "./terminal/listing.ts"
import { addListingOptions, choiceOption, definedOnly, type ListingOptions } from "./terminal/options.ts"
import { ask, declined, requirePerson } from "./terminal/person.ts"
import { fieldLines, type Style, viewLines } from "./terminal/style.ts"

interface MemoryOptions extends ListingOptions, Omit<MemFilter, "words"> {
  flag?: string
  edit?: string
  delete?: boolean
  reset?: boolean
  yes?: boolean
}

/** The mems in force, or one in full; a person edits, flags or deletes one, or empties the hive. */
export const command: CliCommand<MemoryOptions> = {
  configure(memory: Command) {
    memory
      .argument("[id]", "one mem in full: its id, or the start of it")
      .option("--shelf <shelf>", "only those on that shelf")
      .addOption(choiceOption("--kind <kind>", "only those", memKind.options))
      .option("--task <id>", "only those that came from that task")
      .option("--all", "also those that were taken back or replaced, and are not archived")
      .option("--edit <text>", "replace the mem by this text; the old one is kept as superseded")
      .addOption(
        memory
          .createOption("--flag <reason>", "the mem was wrong: keep it as a warning, with the reason")
          .conflicts("edit"),
      )
      .addOption(
        memory
          .createOption("--delete", "show the mem nowhere again; the log keeps it")
          .conflicts("edit")
          .conflicts("flag"),
      )
      .option("--reset", "delete all plans, tasks and memories for good, and their backup")
      .option("-y, --yes", "with --reset: do not ask")
    addListingOptions(memory).addHelpText(
      "after",
      '\nExample: hivemind memory 1a2b3c4d --edit "CI uses port 5433"',
    )
  },

  run: (input) => {
    if (input.options.reset === true) return reset(input)
    return withHive(input, async ({ hive }) => {
      const [id] = input.args
      const { edit, flag, delete: isDeleted, shelf, kind, task, all, find } = input.options
      const { style } = input
      const option = edit ? "--edit" : flag ? "--flag" : isDeleted ? "--delete" : undefined
      if (option !== undefined) return change(input, hive, requireIdArgument(id, "memory", option))
      if (id !== undefined) {
        const detail = memDetail(hive, id)
        return { data: { ...detail }, text: memLines(detail, style) }
      }
      const filter = definedOnly({ shelf, kind, task, words: find })
      return listing(input, listMemRows(hive, { ...filter, ...(all && { all }) }, input.options), {
        filter,
        none: "Nothing is remembered yet.",
        noneFound: "No such mem.",
        render: (mem) => [
          `${style("cyan", mem.short)} ${mem.shelf}/${mem.kind}${mem.status === "active" ? "" : `, ${mem.status}`}  ${shorten(mem.content, MAX_LINE)}`,
        ],
      })
    })
  },
}

async function reset({ dir, options, io }: CliInput<MemoryOptions>): Promise<CliResult> {
  requirePerson(io, "Emptying a hive")
  const { home, ...place } = await requireHive(dir)
  const what = `all plans, tasks and memories in ${hivePaths(home).root}, and their backup`
  if (options.yes !== true && !(await ask(`Delete ${what}, for good?`, "memory --reset", io, false)))
    return declined({ project: home, reset: false })
  const { isShared } = await resetHive({ home, ...place })
  const note = `Note: ${LOG_REF} still has the shared entries, and other clones keep theirs. They do not come back here; \`hivemind uninstall --purge\` deletes the ref from this repository.`
  return {
    data: { project: home, reset: true, shared: isShared },
    text: [`Deleted ${what}.`, ...(isShared ? [note] : [])],
  }
}

async function change(input: CliInput<MemoryOptions>, hive: Hive, given: string): Promise<CliResult> {
  const { edit, flag } = input.options
  return changeForPerson(input, hive, "memory", async (caller) => {
    const { mem } = memDetail(hive, given)
    const short = shortId(mem.id)
    if (edit !== undefined) {
      const { shelf, kind, tags, evidence, related_to, origin_task_id } = mem
      const same = { shelf, kind, tags, evidence, related_to, supersedes: mem.id }
      const task = origin_task_id === null ? {} : { origin_task_id }
      const replacement = checked("The mem", newMem, { content: edit, ...same, ...task })
      const saved = await saveMem(hive, caller, replacement)
      return { data: { mem: saved }, text: `${short} is replaced by ${shortId(saved.id)}.` }
    }
    if (flag !== undefined) {
      const flagged = await flagMem(hive, caller, { mem_id: mem.id, reason: flag })
      return { data: { mem: flagged }, text: `${short} is a false path now: ${flagged.reason ?? ""}` }
    }
    const deleted = await purgeMems(hive, caller, { mem_id: mem.id })
    return { data: { deleted }, text: `${short} is shown nowhere any more.` }
  })
}

function memLines(
  { mem, archived, evidence, isUnverified, confidence, recalled }: MemDetail,
  style: Style,
): string[] {
  const shown = {
    ...mem,
    content: mem.content.split("\n"),
    evidence: evidence.map((each) => `${each.evidence}${each.state === null ? "" : ` (${each.state})`}`),
    confidence: `${mem.confidence}, now ${confidence.toFixed(2)}${isUnverified ? " (unverified)" : ""}`,
    recalled: recalled.at === null ? null : `${counted(recalled.count, "time")}, last ${recalled.at}`,
    archived: archived ? "yes" : null,
  }
  return viewLines(shown, style, Number.POSITIVE_INFINITY)
}

interface AnchorsOptions extends ListingOptions, Omit<AnchorFilter, "words"> {}

/** The anchors: facts by key that survive compaction. Reads only. */
const anchorsCommand: CliCommand<AnchorsOptions> = {
  configure(anchors: Command) {
    anchors
      .argument("[key]", "one in full: its key, its id, or the start of that")
      .addOption(choiceOption("--priority <priority>", "only those", anchorSchema.shape.priority.options))
      .addOption(choiceOption("--type <type>", "only those", anchorSchema.shape.type.options))
      .option("--stale", "only those that are old, or whose file has changed")
    addListingOptions(anchors).addHelpText("after", "\nExample: hivemind memory anchors --priority critical")
  },

  run: (input) =>
    withHive(input, ({ hive }) => {
      const [key] = input.args
      const { priority, type, stale, find } = input.options
      const { style } = input
      if (key !== undefined) {
        const anchor = requireAnchor(hive, key)
        return { data: { anchor }, text: anchorLines(anchor, style) }
      }
      const filter = definedOnly({ priority, type, stale, words: find })
      return listing(input, listAnchorRows(hive, filter, input.options), {
        filter,
        none: "There are no anchors yet.",
        noneFound: "No such anchor.",
        render: ({ short, key: name, value, why }) => [
          `${style("cyan", short)} ${style("bold", shorten(name, MAX_KEY))}: ${shorten(value, MAX_LINE)}`,
          `${" ".repeat(short.length)} ${style("dim", why)}`,
        ],
      })
    }),
}

/** With advice for people: that of the library is for agents, who have a tool for it. */
function requireAnchor(hive: Hive, key: string): AnchorRow {
  try {
    return anchorDetail(hive, key)
  } catch (error) {
    if (!(error instanceof HiveError) || error.code !== "not_found") throw error
    const { code, what, why, evidence } = error
    const use_instead = "`hivemind memory anchors` shows them, with their keys."
    throw new HiveError({ code, what, why, use_instead, evidence })
  }
}

function anchorLines(anchor: AnchorRow, style: Style): string[] {
  const { id, key, value, priority, type, status, isStale, why, related_to, session_id, branch } = anchor
  const fields = {
    value: value.split("\n"),
    id,
    priority: why === "" ? priority : why,
    type,
    status: isStale ? "stale" : status,
    about: related_to,
    session: session_id,
    branch,
    changed: localTime(anchor.updated_at),
  }
  return [style("bold", key), ...fieldLines(fields, style)]
}

export const views: Record<string, CliCommand> = { anchors: anchorsCommand }

const MAX_LINE = 160
const MAX_KEY = 60
