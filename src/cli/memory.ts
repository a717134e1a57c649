import type { Hive } from "../hive/hive.ts"
import { anchorUpdate, removeAnchor, updateAnchor } from "../knowledge/anchor/anchors.ts"
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
  isAnchorId,
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

export const command: CliCommand<MemoryOptions> = {
  configure(memory) {
    const flag = "mark the mem as wrong: it is kept as a warning, with the reason"
    memory
      .argument("[id]", "one mem or anchor in full: its id, or the start of it")
      .option("--shelf <shelf>", "only mems on that shelf")
      .addOption(choiceOption("--kind <kind>", "only mems of that kind", memKind.options))
      .option("--task <id>", "only mems that came from that task")
      .option("--all", "also mems that were taken back or replaced, unless they are archived")
      .option("--edit <text>", "replace the text; the old mem is kept as superseded")
      .addOption(memory.createOption("--flag <reason>", flag).conflicts("edit"))
      .addOption(
        memory
          .createOption("--delete", "never show the mem or anchor again; the log keeps it")
          .conflicts("edit")
          .conflicts("flag"),
      )
      .option("--reset", "delete all plans, tasks and memories for good, and their backup")
      .option("-y, --yes", "with --reset: do not ask for confirmation")
    addListingOptions(memory)
  },

  help: 'Example: hivemind memory 1a2b3c4d --edit "CI uses port 5433"',

  run: (input) => {
    if (input.options.reset === true) return reset(input)
    return withHive(input, async ({ hive }) => {
      const [id] = input.args
      const { edit, flag, delete: isDeleted, shelf, kind, task, all, find } = input.options
      const { style } = input
      const option = edit ? "--edit" : flag ? "--flag" : isDeleted ? "--delete" : undefined
      if (id !== undefined && flag === undefined && isAnchorId(hive, id)) return oneAnchor(input, hive, id)
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
  requirePerson(io, "`hivemind memory --reset`")
  const { home, ...place } = await requireHive(dir)
  const what = `all plans, tasks and memories in ${hivePaths(home).root}, and their backup`
  if (options.yes !== true && !(await ask(`Delete ${what}, for good?`, "memory --reset", io, false)))
    return declined({ project: home, reset: false })
  const { isShared } = await resetHive({ home, ...place })
  const note = `Note: ${LOG_REF} still has the shared entries, and other clones keep theirs. They do not come back here; \`hivemind uninstall --purge\` deletes the ref from this repository.`
  return {
    data: { project: home, reset: true, shared: isShared },
    text: [`Deleted ${what}.`, isShared && note],
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
      return { data: { mem: flagged }, text: `${short} is now marked as wrong: ${flagged.reason ?? ""}` }
    }
    const deleted = await purgeMems(hive, caller, { mem_id: mem.id })
    return { data: { deleted }, text: `${short} is deleted and will not be shown again.` }
  })
}

function memLines(detail: MemDetail, style: Style): string[] {
  const { mem, archived, evidence, isUnverified, confidence, recalled } = detail
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

type AnchorChange = Pick<MemoryOptions, "edit" | "delete">

const anchorsCommand: CliCommand<ListingOptions & Omit<AnchorFilter, "words"> & AnchorChange> = {
  configure(anchors) {
    const { priority, type } = anchorSchema.shape
    anchors
      .argument("[key]", "one anchor in full: its key, its id, or the start of the id")
      .addOption(choiceOption("--priority <priority>", "only anchors of that priority", priority.options))
      .addOption(choiceOption("--type <type>", "only anchors of that type", type.options))
      .option("--stale", "only anchors that are old, or whose file has changed")
      .option("--edit <text>", "replace the anchor's value")
      .addOption(anchors.createOption("--delete", "never show it again; the log keeps it").conflicts("edit"))
    addListingOptions(anchors)
  },

  help: "Example: hivemind memory anchors --priority critical",

  run: (input) =>
    withHive(input, ({ hive }) => {
      const [key] = input.args
      const { priority, type, stale, find, edit, delete: isDeleted } = input.options
      const { style } = input
      const option = edit !== undefined ? "--edit" : isDeleted ? "--delete" : undefined
      if (option !== undefined)
        return oneAnchor(input, hive, requireIdArgument(key, "memory anchors", option))
      if (key !== undefined) return oneAnchor(input, hive, key)
      const filter = definedOnly({ priority, type, stale, words: find })
      return listing(input, listAnchorRows(hive, filter, input.options), {
        filter,
        none: "There are no anchors yet.",
        noneFound: "No such anchor.",
        render: ({ short, key: name, value, why }) => [
          `${style("cyan", short)} ${style("bold", shorten(name, 60))}: ${shorten(value, MAX_LINE)}`,
          `${" ".repeat(short.length)} ${style("dim", why)}`,
        ],
      })
    }),
}

/** Shows an anchor, or changes it with `--edit` and `--delete`. */
async function oneAnchor(input: CliInput<AnchorChange>, hive: Hive, given: string): Promise<CliResult> {
  const { edit, delete: isDeleted } = input.options
  const anchor = requireAnchor(hive, given)
  if (edit === undefined && !isDeleted) return { data: { anchor }, text: anchorLines(anchor, input.style) }
  const { key } = anchor
  return changeForPerson(input, hive, "memory anchors", async (caller) => {
    if (edit === undefined) {
      await removeAnchor(hive, caller, key)
      return {
        data: { deleted: anchor.id },
        text: `The anchor ${key} is deleted and will not be shown again.`,
      }
    }
    const update = checked("The anchor", anchorUpdate, { key, value: edit })
    return {
      data: { anchor: await updateAnchor(hive, caller, update) },
      text: `The anchor ${key} has the new value.`,
    }
  })
}

/** Finds an anchor by its key or id. If there is none, the error advises a person instead of an agent. */
function requireAnchor(hive: Hive, key: string): AnchorRow {
  try {
    return anchorDetail(hive, key)
  } catch (error) {
    if (!(error instanceof HiveError) || error.code !== "not_found") throw error
    const { code, what, why, evidence } = error
    const use_instead = "`hivemind memory anchors` lists all anchors with their keys."
    throw new HiveError({ code, what, why, use_instead, evidence })
  }
}

function anchorLines(anchor: AnchorRow, style: Style): string[] {
  const { id, key, value, priority, type, status, isStale, why, related_to, session_id, branch } = anchor
  const fields = {
    ...{ value: value.split("\n"), id, priority: why === "" ? priority : why, type },
    ...{ status: isStale ? "stale" : status, about: related_to, session: session_id, branch },
    changed: localTime(anchor.updated_at),
  }
  return [style("bold", key), ...fieldLines(fields, style)]
}

export const views: Record<string, CliCommand> = { anchors: anchorsCommand }

const MAX_LINE = 160
