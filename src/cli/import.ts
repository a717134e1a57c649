import { relative } from "node:path"
import type { Command } from "commander"
import { importFrom, undoImport } from "../migrate/import/import.ts"
import { IMPORT_TOOLS, type ImportTool, locateSource } from "../migrate/import/locate.ts"
import type { TakenBack } from "../migrate/take-back.ts"
import { sectionNames } from "../schemas/records.ts"
import { withAnyHive, withHive } from "./project/open-project.ts"
import { cleanValues } from "./terminal/clean-values.ts"
import type { CliCommand } from "./terminal/command.ts"
import { recordProgress, reportText } from "./terminal/migrate-text.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface ImportOptions {
  dryRun?: boolean
  undo?: boolean
}

/** Brings over what people have kept with another tool; its files are only read. */
export const importCommand: CliCommand<ImportOptions> = {
  configure(command: Command) {
    command
      .addArgument(command.createArgument("<tool>", "where it comes from").choices(IMPORT_TOOLS))
      .argument("[path]", "its file, its folder or its project (default: where the tool keeps it)")
      .option("--dry-run", "say what would become of each record, and write nothing")
      .option("--undo", "take back what was imported from that tool, as far as nobody has built upon it")
      .addHelpText("after", HELP)
  },

  run: (input) =>
    // To look first, nothing has to be set up.
    (input.options.dryRun === true ? withAnyHive : withHive)(input, async ({ project, place, hive }) => {
      const { io, options } = input
      // commander lets no other through.
      const tool = input.args[0] as ImportTool
      const dryRun = options.dryRun === true
      const style = styleFor(io.stdout, io.env)
      const progress = recordProgress(io)
      try {
        if (options.undo === true) {
          const undone = await undoImport(hive, tool, {
            dryRun,
            onProgress: (done) => progress.show(done, tool),
          })
          progress.clear()
          return {
            data: { project, tool, dry_run: dryRun, ...undone },
            text: undoneText(tool, cleanValues(undone), dryRun),
          }
        }
        const memoryFile = io.env["MEMORY_FILE_PATH"]
        const path = locateSource(tool, input.args[1], {
          dir: input.dir,
          project: place.dir,
          home: io.home,
          memoryFile,
        })
        const report = await importFrom(hive, tool, path, {
          dryRun,
          onProgress: (done) => progress.show(done, path),
        })
        progress.clear()
        const shown = relative(input.dir, path) || path
        return {
          data: { project, tool, path, dry_run: dryRun, report },
          text: text(tool, shown, cleanValues(report), dryRun, style),
          trouble: report.sources.quarantined > 0,
        }
      } finally {
        progress.clear()
      }
    }),
}

function text(
  tool: string,
  path: string,
  report: Parameters<typeof reportText>[0],
  dryRun: boolean,
  style: Style,
): string {
  const hasWork = (report.taken.task ?? 0) + (report.taken.plan ?? 0) > 0
  const next = hasWork ? "`hivemind plans` and `hivemind tasks` show it." : "`hivemind memory` shows it."
  const end =
    report.sources.taken === 0
      ? []
      : dryRun
        ? ["Nothing was written."]
        : [`${next} \`hivemind import ${tool} --undo\` takes it back.`]
  return [
    `${dryRun ? "Would import" : "Imported"} ${tool} from ${path}`,
    ...reportText(report, style),
    ...(end.length === 0 ? [] : ["", ...end]),
  ].join("\n")
}

function undoneText(tool: string, { dropped, kept }: TakenBack, dryRun: boolean): string {
  const parts = Object.entries(dropped).flatMap(([kind, count]) =>
    kind === "trajectory"
      ? []
      : [`${count} ${count === 1 ? kind : sectionNames[kind as keyof typeof sectionNames]}`],
  )
  const what =
    parts.length === 0
      ? `Nothing of ${tool} was there to take back.`
      : `${dryRun ? "Would take" : "Took"} back: ${parts.join(", ")}.`
  if (kept.count === 0) return what
  const more = kept.count - kept.examples.length
  return [
    what,
    `${kept.count} stay: changed or built upon since, or another clone's as well:`,
    ...kept.examples.map(({ name, why }) => `  ${name}: ${why}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join("\n")
}

const HELP = `
What is taken over stays as HiveMind has it: run again, only what is new is added.
Examples: hivemind import beads --dry-run
          hivemind import task-master ../other-project
          hivemind import mcp-memory ~/notes/memory.jsonl`
