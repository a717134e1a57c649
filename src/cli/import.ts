import { statSync } from "node:fs"
import { relative, resolve } from "node:path"
import type { Command } from "commander"
import type { Located } from "../hive/locate.ts"
import { fromCommand } from "../migrate/automatic.ts"
import { importFrom, undoImport } from "../migrate/import/import.ts"
import { IMPORT_TOOLS, type ImportTool, locateSource } from "../migrate/import/locate.ts"
import { type Migrated, migrate, unreadFiles } from "../migrate/migrate.ts"
import type { Report } from "../migrate/records/report.ts"
import type { UndoneRecords } from "../migrate/records/undo-records.ts"
import { undoMigration } from "../migrate/undo-migration.ts"
import { sectionNames } from "../schemas/records.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { upwards } from "../shared/git-folders.ts"
import { shorten } from "../shared/text/clean.ts"
import { sessionsCommand } from "./import-sessions.ts"
import { withAnyHive, withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { cleanValues } from "./terminal/output.ts"
import { progressLine } from "./terminal/progress.ts"
import { fieldLines, firstLines, type Style } from "./terminal/style.ts"

interface ImportOptions {
  dryRun?: boolean
  undo?: boolean
}

/** Imports records of another tool, whose files are only read. */
export const command: CliCommand<ImportOptions> = {
  configure(importing: Command) {
    importing
      .addArgument(importing.createArgument("<tool>", "where it comes from").choices(IMPORT_TOOLS))
      .argument("[path]", "its file, its folder or its project (default: where the tool keeps it)")
      .option("--dry-run", "show the outcome of each record, and write nothing")
      .option("--undo", "take back the records imported from that tool, unless later work depends on them")
      .addHelpText("after", HELP)
  },

  run(input) {
    const { io, options, style, dir } = input
    const { dryRun = false, undo = false } = options
    // commander lets no other through.
    const tool = input.args[0] as ImportTool
    // A dry run needs no set-up.
    return (dryRun ? withAnyHive : withHive)(input, async ({ place, hive }) => {
      const progress = progressLine(io)
      const onProgress = (done: number) => progress.showOften(`${done} records of ${tool}`)
      if (undo) {
        const undone = await undoImport(hive, tool, { dryRun, onProgress }).finally(progress.clear)
        return {
          data: { tool, dry_run: dryRun, ...undone },
          text: undoneImportLines(tool, cleanValues(undone), dryRun),
        }
      }
      const memoryFile = io.env["MEMORY_FILE_PATH"]
      const where = { dir, project: place.dir, home: io.home, memoryFile }
      const path = locateSource(tool, input.args[1], where)
      const report = await importFrom(hive, tool, path, { dryRun, onProgress }).finally(progress.clear)
      const shown = relative(dir, path) || path
      return {
        data: { tool, path, dry_run: dryRun, report },
        text: [
          `${dryRun ? "Would import" : "Imported"} ${tool} from ${shown}`,
          ...reportLines(cleanValues(report), style),
          ...afterImport(tool, report, dryRun),
        ],
        trouble: report.sources.quarantined > 0,
      }
    })
  },
}

function afterImport(tool: ImportTool, { taken, sources }: Report, dryRun: boolean): string[] {
  if (sources.taken === 0) return []
  if (dryRun) return ["", "Nothing was written."]
  const hasWork = (taken.task ?? 0) + (taken.plan ?? 0) > 0
  const next = hasWork ? "`hivemind plans` and `hivemind tasks` show it." : "`hivemind memory` shows it."
  return ["", `${next} \`hivemind import ${tool} --undo\` takes it back.`]
}

function undoneImportLines(tool: ImportTool, { dropped, kept }: UndoneRecords, dryRun: boolean): string[] {
  const parts = Object.entries(dropped).flatMap(([kind, count]) =>
    kind === "trajectory"
      ? []
      : [`${count} ${count === 1 ? kind : sectionNames[kind as keyof typeof sectionNames]}`],
  )
  const what =
    parts.length === 0
      ? `Nothing of ${tool} was there to take back.`
      : `${dryRun ? "Would take" : "Took"} back: ${parts.join(", ")}.`
  return [what, ...keptLines(kept)]
}

/** Records that an undo leaves. */
function keptLines({ count, examples }: UndoneRecords["kept"]): string[] {
  if (count === 0) return []
  const more = count - examples.length
  return [
    `${counted(count, "record")} ${count === 1 ? "stays" : "stay"}, changed or built upon since, or another clone's as well:`,
    ...examples.map(({ name, why }) => `  ${name}: ${why}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

/** The outcome of every source record. */
function reportLines({ files, sources, taken, quarantined, ignored, notes }: Report, style: Style): string[] {
  const records = Object.entries(taken).map(([kind, count]) => counted(count, RECORD_NAMES[kind] ?? kind))
  const reasons = quarantined.map(({ from, reason }) => `${shorten(from)}: ${shorten(reason, 160)}`)
  const example = (text: string) => style("dim", `(${shorten(text)})`)
  const isQuarantined = sources.quarantined > 0
  const fields = {
    read: `${counted(sources.total, "source record")} in ${counted(files.length, "file")}`,
    taken: `${sources.taken}${records.length === 0 ? "" : `: ${records.join(", ")}`}`,
    there: sources.already === 0 ? null : `${sources.already} already, or the same thing in two files`,
    quarantine: [
      style(isQuarantined ? "yellow" : "green", String(sources.quarantined)),
      ...firstLines(reasons),
      ...(isQuarantined ? ["the originals: .hivemind/graph/quarantine.jsonl"] : []),
    ],
    "left out": [
      String(sources.ignored),
      ...ignored.map((each) => `${each.count} ${each.reason} ${example(each.example)}`),
    ],
    changed: notes.map((each) => `${each.count}: ${each.note} ${example(each.example)}`),
  }
  return fieldLines(fields, style)
}

interface MigrateOptions extends ImportOptions {
  from?: string
}

/** Takes over what older versions and their forerunners have left in the project, or takes that back. */
const migrateCommand: CliCommand<MigrateOptions> = {
  configure(migrating: Command) {
    migrating
      .option("--dry-run", "show the outcome of every record, and write nothing")
      .option("--from <path>", "another project's folder with old files; they stay as they are")
      .addOption(
        migrating
          .createOption("--undo", "put it all back: the files as they were, the graph without their records")
          .conflicts(["dryRun", "from"]),
      )
      .addHelpText("after", MIGRATE_HELP)
  },

  run: (input) =>
    withAnyHive(input, async ({ project, place, hive }) => {
      const { dryRun = false, from, undo = false } = input.options
      const progress = progressLine(input.io)
      const onProgress = (done: number) => progress.showOften(`${done} records of old files`)
      const onWait = () => input.io.stderr.write("Another process is at the old files; waiting for it.\n")
      if (undo) {
        const undone = await undoMigration(hive, { onProgress, onWait }).finally(progress.clear)
        if (undone === undefined)
          return {
            data: { undone: null },
            text: "Nothing to put back: nothing was migrated in this project.",
          }
        const { dropped, kept, files, earlier, left } = cleanValues(undone)
        const count = Object.values(dropped).reduce((sum, each) => sum + each, 0)
        const text = [
          `${counted(count, "record")} taken out of the graph, ${counted(files.length, "file")} put back.`,
          ...keptLines(kept),
          ...(earlier.length === 0 ? [] : [`Earlier versions of them are kept: ${earlier.join(", ")}`]),
          ...left.map((each) => `Left as it is: ${each}`),
        ]
        return { data: { undone }, text, trouble: left.length > 0 }
      }
      const folder = from === undefined ? undefined : requireFolder(resolve(input.dir, from))
      const how = { dryRun, onProgress, onWait, ...(folder === undefined ? {} : { from: folder }) }
      const migrated = await migrate(hive, how).finally(progress.clear)
      const elsewhere = folder === undefined ? otherPlaces(project, input.dir, place) : []
      const isNothingHere = migrated.report === null && elsewhere.length > 0
      return {
        data: { dry_run: dryRun, ...migrated, elsewhere },
        text: [
          ...(isNothingHere
            ? [`Nothing to take over in ${project}.`]
            : migratedLines(cleanValues(migrated), dryRun, input.style)),
          ...elsewhere,
        ],
        trouble: (migrated.report?.sources.quarantined ?? 0) > 0,
      }
    }),
}

function migratedLines({ report, moves }: Migrated, dryRun: boolean, style: Style): string[] {
  if (report === null)
    return ["Nothing to take over: no files of older versions, or all of them are in the graph."]
  const verb = dryRun ? "would be" : moves.length === 1 ? "is" : "are"
  return [
    ...(dryRun ? [style("bold", "A dry run: nothing was written."), ""] : []),
    ...reportLines(report, style),
    "",
    moves.length === 0
      ? "The old files stay as they are."
      : `${counted(moves.length, "old file")} in .hivemind/ ${verb} kept beside as .bak; all others stay as they are.`,
    ...(dryRun ? [] : ["`hivemind import migrate --undo` puts it all back."]),
  ]
}

/** Older versions kept their files in the working folder; the hive is that of the whole repository. */
function otherPlaces(project: string, from: string, { dir, repository }: Located): string[] {
  // Without a repository nothing says where the project begins.
  return [...upwards(resolve(from), repository === null ? undefined : dir)]
    .filter((folder) => folder !== project && unreadFiles(project, folder).length > 0)
    .map((folder) => `Files of an older version are in ${folder}: ${fromCommand(folder)} takes them over.`)
}

function requireFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path
  throw new HiveError({
    code: "invalid_argument",
    what: "There is no such folder.",
    why: "`--from` names the folder of a project: the one that holds `.hivemind/`, `.idumb/` or `.opencode/`.",
    use_instead: "Correct the path.",
    evidence: path,
  })
}

export const views: Record<string, CliCommand> = { migrate: migrateCommand, sessions: sessionsCommand }

const RECORD_NAMES: Readonly<Record<string, string>> = { trajectory: "read-head" }
const HELP = `
Running it again adds only new records; those imported before are kept.
Examples: hivemind import beads --dry-run
          hivemind import task-master ../other-project
          hivemind import mcp-memory ~/notes/memory.jsonl`
const MIGRATE_HELP = `
Exit code 1 says that something is in quarantine, and all the rest was taken over; or that an undo could
not put every file back. Records that were built upon since, or that another clone has taken over as
well, stay, and that is no failure.

Example: hivemind import migrate --dry-run`
