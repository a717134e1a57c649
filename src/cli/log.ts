import type { Command } from "commander"
import { isBase } from "../graph/merge/base.ts"
import type { Author, Entry } from "../schemas/entry.ts"
import { type Op, recordIdOf } from "../schemas/op.ts"
import type { RefusedCall } from "../schemas/refusal.ts"
import { oneLine } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { hivePaths } from "../store/files/layout.ts"
import { refusalFile } from "../store/files/refusal-file.ts"
import { type DescribedEntry, describeEntries } from "../views/log/log-entries.ts"
import { fileNotes } from "./project/file-health.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { parseLimit } from "./terminal/parse-limit.ts"
import { parseTime } from "./terminal/parse-time.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface LogOptions {
  limit: string
  since?: string
  record?: string
  reverse?: boolean
}

/** Who changed what, and when. Reads only. */
export const logCommand: CliCommand<LogOptions> = {
  configure(command: Command) {
    command
      .option("--limit <n>", "how many of the newest entries", "20")
      .option("--since <time>", "only entries after: 2h, 3d, 2026-02-11, 2026-02-11T14:30")
      .option("--record <id>", "only entries that changed that plan, task, mem… (its id or the start of it)")
      .option("--reverse", "oldest first")
      .addHelpText("after", "\nExample: hivemind log --since 2d --limit 50")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { limit, since, record, reverse } = input.options
      const all = await hive.store.log()
      const from = since === undefined ? undefined : parseTime(since, "--since", hive.source.now())
      const matching = all.filter((entry) => isSince(entry, from) && touches(entry, record))
      const chosen = new Set(matching.slice(-parseLimit(limit)))
      const inOrder = describeEntries(all, chosen, hive.store.read().state)
      const shown = reverse === true ? inOrder : inOrder.toReversed()
      // A record is changed by entries only.
      const refused = record === undefined ? refusedBeside(project, inOrder, from, parseLimit(limit)) : []
      const notes = fileNotes(hive.store.health())

      const style = styleFor(input.io.stdout, input.io.env)
      const more = matching.length - shown.length
      const lines = [
        ...notes.map((note) => `Note: ${note}`),
        ...withRefusals(shown, refused, reverse === true, style),
        ...(shown.length === 0 && refused.length === 0
          ? [all.length === 0 ? "Nothing has been written yet." : "No such entry."]
          : []),
        ...(more > 0 ? [style("dim", `${more} more; \`--limit ${matching.length}\` shows them.`)] : []),
      ]
      const data = {
        project,
        entries: shown.map(toJson),
        refusals: refused,
        matching: matching.length,
        total: all.length,
        notes,
      }
      return { data, text: lines.join("\n") }
    }),
}

/** The refused calls of the time that the entries are of. */
function refusedBeside(
  project: string,
  inOrder: readonly DescribedEntry[],
  from: number | undefined,
  limit: number,
): RefusedCall[] {
  const oldest = from ?? Date.parse(inOrder[0]?.entry.at ?? "")
  const all = refusalFile(hivePaths(project)).read()
  return all.filter(({ at }) => !(Date.parse(at) < oldest)).slice(-limit)
}

/** Entries in their order, each refusal where its time is. */
function withRefusals(
  shown: readonly DescribedEntry[],
  refused: readonly RefusedCall[],
  oldestFirst: boolean,
  style: Style,
): string[] {
  const left = oldestFirst ? [...refused] : refused.toReversed()
  const isBefore = (a: string, b: string) => (oldestFirst ? a < b : a > b)
  const lines: string[] = []
  const flush = (until: string | undefined) => {
    while (left[0] !== undefined && (until === undefined || isBefore(left[0].at, until)))
      lines.push(refusalLine(left.shift() as RefusedCall, style))
  }
  for (const each of shown) {
    flush(each.entry.at)
    lines.push(...render(each, style))
  }
  flush(undefined)
  return lines
}

function refusalLine({ at, what, session, agent, tool }: RefusedCall, style: Style): string {
  return `${style("dim", localTime(at))}  ${style("red", "refused")}  ${author({ tool, session, agent })}: ${what}`
}

function render(described: DescribedEntry, style: Style): string[] {
  const { entry, short, undoneBy, undoes, from, changes, lost } = described
  const marks = [
    ...(from === null ? [] : [isBase(entry) ? "from an older version" : `from clone ${from}`]),
    ...(undoes === null ? [] : [`undoes ${undoes}`]),
    ...(undoneBy === null ? [] : [`undone by ${undoneBy}`]),
  ]
  const mark = marks.length === 0 ? "" : `  ${style("yellow", `[${marks.join(", ")}]`)}`
  const head = `${style("dim", localTime(entry.at))}  ${style("cyan", short)}  ${author(entry.by)}${mark}`
  const shown = changes.slice(0, MAX_CHANGES)
  const more = changes.length - shown.length
  const lines = more > 0 ? [...shown, `and ${more} more changes (\`--json\` lists all)`] : shown
  return [
    head,
    ...lines.map((line) => `    ${undoneBy === null ? line : style("strikethrough", line)}`),
    // Without colours a struck line looks like any other.
    ...lost.slice(0, MAX_CHANGES).map((line) => `    lost: ${style("strikethrough", line)}`),
  ]
}

function author({ tool, session, agent }: Author): string {
  const who = [agent, session].filter((part) => part !== null).join(", ")
  return oneLine(who === "" ? tool : `${tool} (${who})`)
}

function toJson({ entry, short, undoneBy, changes, lost }: DescribedEntry): Record<string, unknown> {
  return { ...entry, short_id: short, undone_by: undoneBy, changes, lost }
}

function isSince(entry: Entry, from: number | undefined): boolean {
  return from === undefined || Date.parse(entry.at) >= from
}

function touches(entry: Entry, record: string | undefined): boolean {
  return record === undefined || entry.ops.some((op) => recordOrSession(op).startsWith(record))
}

function recordOrSession(op: Op): string {
  return "kind" in op ? recordIdOf(op) : op.session
}

const MAX_CHANGES = 12
