import { compare } from "../graph/by-age.ts"
import type { Hive } from "../hive/hive.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import { recordIdOf } from "../schemas/op.ts"
import type { RefusedCall } from "../schemas/refusal.ts"
import { HiveError } from "../shared/error.ts"
import { stampFromReadable } from "../shared/stamp.ts"
import { oneLine } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { hivePaths } from "../store/files/layout.ts"
import { refusalFile } from "../store/files/log-file.ts"
import { type Deep, inspectDeep } from "../views/inspect/deep.ts"
import { pageOf } from "../views/lists/page.ts"
import { type RefusalRow, refusalsOf, requireRefusal } from "../views/lists/refusals.ts"
import { type DescribedEntry, describeEntries } from "../views/log/log-entries.ts"
import { type Hit, trace } from "../views/trace.ts"
import { fileNotes } from "./project/file-health.ts"
import { findHostId } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import { type CliCommand, textLines } from "./terminal/command.ts"
import { listing } from "./terminal/listing.ts"
import {
  addListingOptions,
  definedOnly,
  type ListingOptions,
  numberOption,
  timeOption,
} from "./terminal/options.ts"
import { firstLines, type Style, viewLines } from "./terminal/style.ts"

export const command: CliCommand<{ limit: number; since?: number; reverse?: boolean }> = {
  configure(log) {
    log
      .argument(
        "[record]",
        "one record (plan, task, mem, …) with its links and entries: its id, or the start of it",
      )
      .addOption(numberOption("--limit <n>", "how many of the newest entries to show", { fallback: 20 }))
      .addOption(timeOption("--since <time>", "only entries after this time"))
      .option("--reverse", "oldest first")
  },

  help: "Example: hivemind log --since 2d --limit 50",

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const [given] = input.args
      const { limit, since, reverse = false } = input.options
      const { style } = input
      const shown = given === undefined ? undefined : await findShown(hive, given)
      const all = await hive.store.log()
      const record = shown instanceof HiveError ? undefined : shown
      const inTime = all.filter(({ at }) => since === undefined || Date.parse(at) >= since)
      const named = inTime.filter((entry) => given === undefined || touches(entry, given))
      // A session may be given by its stamp (start time). Entries have no stamps, so the id of its record is used.
      const byRecord = named.length === 0 && record !== undefined
      const matching = byRecord ? inTime.filter((entry) => touches(entry, record.id)) : named
      // The graph no longer has a removed record, but the log does. The id is wrong only if no entry names it.
      if (shown instanceof HiveError && matching.length === 0) throw shown
      const chosen = new Set(matching.slice(-limit))
      const inOrder = describeEntries(all, chosen, hive.store.read().state)
      const entries = reverse ? inOrder : inOrder.toReversed()
      // Refused calls change no record, so they are left out if a record is given.
      const refused = given === undefined ? refusalFile(hivePaths(project)).read() : []
      const oldest = since ?? Date.parse(inOrder[0]?.entry.at ?? "")
      const refusals = refused.filter(({ at }) => !(Date.parse(at) < oldest)).slice(-limit)
      const steps = linesByTime(inOrder, refusals, style)
      const notes = fileNotes(hive.store.health())
      const more = matching.length - entries.length
      const isEmpty = entries.length === 0 && refusals.length === 0
      return {
        data: {
          ...(record && { record }),
          entries: entries.map(({ entry, short, undoneBy, changes }) => ({
            ...entry,
            ...{ short_id: short, undone_by: undoneBy, changes },
          })),
          ...{ refusals, matching: matching.length, total: all.length, notes },
        },
        text: [
          ...notes.map((note) => `Note: ${note}`),
          ...(record === undefined ? [] : [...recordLines(record, style), ""]),
          ...(reverse ? steps : steps.toReversed()).flat(),
          isEmpty && (all.length === 0 ? "Nothing has been written yet." : "No such entry."),
          more > 0 && style("dim", `${more} more; \`--limit ${matching.length}\` shows them.`),
        ],
      }
    }),
}

async function findShown(hive: Hive, given: string): Promise<Deep | HiveError> {
  try {
    return await inspectDeep(hive, null, stampFromReadable(given))
  } catch (error) {
    if (error instanceof HiveError) return error
    throw error
  }
}

function touches({ ops }: Entry, id: string): boolean {
  return ops.some((op) => ("kind" in op ? recordIdOf(op) : op.session).startsWith(id))
}

function linesByTime(entries: DescribedEntry[], refusals: RefusedCall[], style: Style): string[][] {
  const refusedLine = ({ at, what, ...by }: RefusedCall) =>
    `${style("dim", localTime(at))}  ${style("red", "refused")}  ${author(by)}: ${what}`
  const all = [
    ...entries.map((each) => ({ at: each.entry.at, lines: entryLines(each, style) })),
    ...refusals.map((each) => ({ at: each.at, lines: [refusedLine(each)] })),
  ]
  return all.sort((a, b) => compare(a.at, b.at)).map(({ lines }) => lines)
}

function entryLines(described: DescribedEntry, style: Style): string[] {
  const { entry, short, undoneBy, undoes, from, changes } = described
  const marks = textLines([
    from && `from clone ${from}`,
    undoes && `undoes ${undoes}`,
    undoneBy && `undone by ${undoneBy}`,
  ])
  const mark = marks.length === 0 ? "" : `  ${style("yellow", `[${marks.join(", ")}]`)}`
  return [
    `${style("dim", localTime(entry.at))}  ${style("cyan", short)}  ${author(entry.by)}${mark}`,
    ...firstLines(changes, 12).map(
      (line) => `    ${undoneBy === null ? line : style("strikethrough", line)}`,
    ),
  ]
}

function author({ tool, session, agent }: Author): string {
  const who = [agent, session].filter((part) => part !== null).join(", ")
  return oneLine(who === "" ? tool : `${tool} (${who})`)
}

function recordLines({ kind, id, record, ...around }: Deep, style: Style): string[] {
  const links = (groups: Record<string, string[]> = {}, mark: string) =>
    Object.entries(groups).map(([field, lines]): [string, string[]] => [`${mark} ${field}`, lines])
  const shown = Object.fromEntries([
    ...Object.entries(record),
    ["above", around.path],
    ["beside", around.siblings],
    ["below", around.children],
    ...links(around.links, "→"),
    ...links(around.linked_from, "←"),
  ])
  return [style("bold", `${kind} ${id}`), ...viewLines(shown, style)]
}

const traceCommand: CliCommand = {
  configure(command) {
    const about =
      'the stamp of a session, plan or task: a time such as "2026-02-11 14:30", or 301411022026 as in file names'
    command.argument("<stamp>", about)
  },

  help: "Example: hivemind log trace 301411022026",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const found = await trace(hive, stampFromReadable(input.args[0] ?? ""))
      const { stamp, hits, left_out, notes } = found
      const { style } = input
      const more = Object.entries(left_out).map(([source, n]) => `${n} older ones of ${source} are not shown`)
      return {
        data: { ...found },
        text: [
          ...(hits.length === 0 ? [`Nothing has the stamp ${stamp}.`] : hitLines(hits, style)),
          ...[...more, ...notes].map((note) => style("dim", note)),
        ],
        trouble: hits.length === 0,
      }
    }),
}

function hitLines(hits: Hit[], style: Style): string[] {
  const width = Math.max(...hits.map(({ where }) => where.length))
  return hits.map(({ at, source, where, text }) => {
    const time = at === null ? " ".repeat(NO_TIME) : localTime(at)
    return `${style("dim", time)}  ${style("cyan", source.padEnd(6))}  ${where.padEnd(width)}  ${text}`
  })
}

const refusalsCommand: CliCommand<ListingOptions & { since?: number; session?: string; code?: string }> = {
  configure(refusals) {
    refusals
      .argument("[id]", "one refused call: its id, or the start of it")
      .addOption(timeOption("--since <time>", "only calls refused after this time"))
      .option("--session <session>", "only calls of that session: its time or id")
      .option("--code <code>", "only refusals of that kind: destructive, protected, scope, no_task, …")
    addListingOptions(refusals)
  },

  help: "Example: hivemind log refusals --since 2h",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { since, session: wanted, code, find } = input.options
      const [id] = input.args
      const { style } = input
      if (id !== undefined) {
        const refusal = requireRefusal(hive, id)
        return { data: { refusal }, text: refusalLines(refusal, style) }
      }
      const session = wanted === undefined ? undefined : await findHostId(hive, wanted)
      const filter = definedOnly({ since, session, code, words: find })
      return listing(input, pageOf(refusalsOf(hive, filter), input.options), {
        filter,
        none: "Nothing was refused.",
        noneFound: "No such refusal.",
        render: (refusal) => refusalLines(refusal, style),
      })
    }),
}

function refusalLines(refused: RefusalRow, style: Style): string[] {
  const { short, at, what, why, use_instead, evidence, files, times, lift, command: call } = refused
  const who = oneLine([refused.agent, refused.session].filter((part) => part !== null).join(", "))
  const often = times === 1 ? "" : `  ${style("yellow", `${times} times in a row`)}`
  const row = (label: string, value: string) => `    ${style("dim", `${label}:`)} ${value}`
  return textLines([
    `${style("cyan", short)}  ${style("dim", localTime(at))}  ${style("red", what)}  (${who})${often}`,
    row("why", why),
    files.length > 0 && row("files", files.join(", ")),
    call && row("command", call),
    row("instead", use_instead),
    lift && row("to lift", lift),
    evidence !== call && !files.includes(evidence) && row("evidence", evidence),
  ])
}

export const views: Record<string, CliCommand> = { trace: traceCommand, refusals: refusalsCommand }

const NO_TIME = "2026-02-11 14:30:05".length
