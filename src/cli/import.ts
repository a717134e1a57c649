import { statSync } from "node:fs"
import { relative, resolve } from "node:path"
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
import { type CliCommand, type CliResult, textLines } from "./terminal/command.ts"
import { cleanValues } from "./terminal/output.ts"
import { withCount } from "./terminal/progress.ts"
import { fieldLines, firstLines, type Style } from "./terminal/style.ts"

type ImportOptions = { dryRun?: boolean; undo?: boolean }

export const command: CliCommand<ImportOptions> = {
  configure(importing) {
    importing
      .addArgument(importing.createArgument("<tool>", "the tool to import from").choices(IMPORT_TOOLS))
      .argument("[path]", "the tool's file, folder or project (default: where the tool keeps its data)")
      .option("--dry-run", "show the outcome of each record, and write nothing")
      .option("--undo", "take back the records imported from that tool, unless later work depends on them")
  },

  help: `Running the command again adds only new records and leaves earlier ones as they are.
Examples: hivemind import beads --dry-run
          hivemind import task-master ../other-project
          hivemind import mcp-memory ~/notes/memory.jsonl`,

  run(input) {
    const { io, options, style, dir } = input
    const { dryRun = false, undo = false } = options
    // The cast is safe: commander accepts no other value.
    const tool = input.args[0] as ImportTool
    const counting = (done: number) => `${done} records of ${tool}`
    // A dry run also works in a project without HiveMind.
    return (dryRun ? withAnyHive : withHive)(input, ({ place, hive }) =>
      withCount(io, counting, async (onProgress) => {
        if (undo) {
          const undone = await undoImport(hive, tool, { dryRun, onProgress })
          const text = undoneImportLines(tool, cleanValues(undone), dryRun)
          return { data: { tool, dry_run: dryRun, ...undone }, text }
        }
        const memoryFile = io.env["MEMORY_FILE_PATH"]
        const where = { dir, project: place.dir, home: io.home, memoryFile }
        const path = locateSource(tool, input.args[1], where)
        const report = await importFrom(hive, tool, path, { dryRun, onProgress })
        return {
          data: { tool, path, dry_run: dryRun, report },
          text: [
            `${dryRun ? "Would import" : "Imported"} ${tool} from ${relative(dir, path) || path}`,
            ...reportLines(cleanValues(report), style),
            ...afterImport(tool, report, dryRun),
          ],
          trouble: report.sources.quarantined > 0,
        }
      }),
    )
  },
}

function afterImport(tool: ImportTool, { taken, sources }: Report, dryRun: boolean): string[] {
  if (sources.taken === 0) return []
  if (dryRun) return ["", "Nothing was written."]
  const hasWork = (taken.task ?? 0) + (taken.plan ?? 0) > 0
  const next = hasWork ? "See `hivemind plans` and `hivemind tasks`." : "See `hivemind memory`."
  return ["", `${next} \`hivemind import ${tool} --undo\` takes them back.`]
}

function undoneImportLines(tool: ImportTool, { dropped, kept }: UndoneRecords, dryRun: boolean): string[] {
  const parts = Object.entries(dropped)
    .filter(([kind]) => kind !== "trajectory")
    .map(([kind, count]) => counted(count, kind, sectionNames[kind as keyof typeof sectionNames]))
  const taken = `${dryRun ? "Would take" : "Took"} back: ${parts.join(", ")}.`
  return [parts.length === 0 ? `There was nothing of ${tool} to take back.` : taken, ...keptLines(kept)]
}

function keptLines({ count, examples }: UndoneRecords["kept"]): string[] {
  if (count === 0) return []
  const more = count - examples.length
  return textLines([
    `${counted(count, "record")} ${count === 1 ? "stays" : "stay"}, because later work or another clone uses ${count === 1 ? "it" : "them"}:`,
    ...examples.map(({ name, why }) => `  ${name}: ${why}`),
    more > 0 && `  and ${more} more`,
  ])
}

function reportLines({ files, sources, taken, quarantined, ignored, notes }: Report, style: Style): string[] {
  const records = Object.entries(taken).map(([kind, count]) => counted(count, RECORD_NAMES[kind] ?? kind))
  const reasons = quarantined.map(({ from, reason }) => `${shorten(from)}: ${shorten(reason, 160)}`)
  const example = (text: string) => style("dim", `(${shorten(text)})`)
  const isQuarantined = sources.quarantined > 0
  const fields = {
    read: `${counted(sources.total, "source record")} in ${counted(files.length, "file")}`,
    taken: `${sources.taken}${records.length === 0 ? "" : `: ${records.join(", ")}`}`,
    existing: sources.already === 0 ? null : `${sources.already}, in the graph already or found in two files`,
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

const migrateCommand: CliCommand<ImportOptions & { from?: string }> = {
  configure(migrating) {
    const undo = "undo the migration: restore the old files and remove their records from the graph"
    migrating
      .option("--dry-run", "show the outcome of every record, and write nothing")
      .option("--from <path>", "another project's folder with old files, which are not changed")
      .addOption(migrating.createOption("--undo", undo).conflicts(["dryRun", "from"]))
  },

  help: `Exit code 1 means that records are in quarantine and all the rest was converted, or that an undo could not
restore every file. An undo keeps records that later work or another clone uses; that is not a failure.

Example: hivemind import migrate --dry-run`,

  run: (input) =>
    withAnyHive(input, ({ project, place, hive }) =>
      withCount(input.io, oldRecords, async (onProgress) => {
        const { dryRun = false, from, undo = false } = input.options
        const onWait = () =>
          input.io.stderr.write("Waiting for another process that is migrating the old files.\n")
        if (undo) return undoneMigration(await undoMigration(hive, { onProgress, onWait }))
        const folder = from === undefined ? undefined : requireFolder(resolve(input.dir, from))
        const how = { dryRun, onProgress, onWait, ...(folder !== undefined && { from: folder }) }
        const migrated = await migrate(hive, how)
        const elsewhere = folder === undefined ? otherPlaces(project, input.dir, place) : []
        const lines =
          migrated.report === null && elsewhere.length > 0
            ? [`There is nothing to migrate in ${project}.`]
            : migratedLines(cleanValues(migrated), dryRun, input.style)
        return {
          data: { dry_run: dryRun, ...migrated, elsewhere },
          text: [...lines, ...elsewhere],
          trouble: (migrated.report?.sources.quarantined ?? 0) > 0,
        }
      }),
    ),
}

function undoneMigration(undone: Awaited<ReturnType<typeof undoMigration>>): CliResult {
  const nothing = "There is nothing to undo: nothing was migrated in this project."
  if (undone === undefined) return { data: { undone: null }, text: nothing }
  const { dropped, kept, files, earlier, left } = cleanValues(undone)
  const count = Object.values(dropped).reduce((sum, each) => sum + each, 0)
  const text = [
    `${counted(count, "record")} removed from the graph, ${counted(files.length, "file")} restored.`,
    ...keptLines(kept),
    earlier.length > 0 && `Earlier versions of these files are kept: ${earlier.join(", ")}`,
    ...left.map((each) => `Not restored: ${each}`),
  ]
  return { data: { undone }, text, trouble: left.length > 0 }
}

function migratedLines({ report, moves }: Migrated, dryRun: boolean, style: Style): string[] {
  if (report === null)
    return ["There is nothing to migrate: no files of older versions, or all of them are in the graph."]
  const verb = dryRun ? "would be" : moves.length === 1 ? "is" : "are"
  return textLines([
    dryRun && `${style("bold", "A dry run: nothing was written.")}\n`,
    ...reportLines(report, style),
    "",
    moves.length === 0
      ? "The old files stay as they are."
      : `${counted(moves.length, "old file")} in .hivemind/ ${verb} kept as .bak; all other files stay as they are.`,
    !dryRun && "`hivemind import migrate --undo` undoes the migration.",
  ])
}

/** Finds old files in the folders above: older versions kept a hive in each folder where an agent was started. */
function otherPlaces(project: string, from: string, { dir, repository }: Located): string[] {
  // Outside of a repository the project's top folder is unknown, so all folders above are searched.
  return [...upwards(resolve(from), repository === null ? undefined : dir)]
    .filter((folder) => folder !== project && unreadFiles(project, folder).length > 0)
    .map((folder) => `Files of an older version are in ${folder}: ${fromCommand(folder)} converts them.`)
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

const RECORD_NAMES: Readonly<Record<string, string>> = { trajectory: "current position" }
const oldRecords = (done: number) => `${done} records of old files`
