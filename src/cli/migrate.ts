import { statSync } from "node:fs"
import { resolve } from "node:path"
import type { Command } from "commander"
import type { Located } from "../hive/locate.ts"
import { type Migrated, migrate, untakenFiles } from "../migrate/take-over/migrate.ts"
import { brokenOffNotices, fromCommand, takenBackNotice } from "../migrate/take-over/notice.ts"
import { underWay } from "../migrate/take-over/under-way.ts"
import { type Undone, undoMigration } from "../migrate/take-over/undo-migration.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { upwards } from "../shared/git-folders.ts"
import { withAnyHive } from "./project/open-project.ts"
import { cleanValues } from "./terminal/clean-values.ts"
import type { CliCommand } from "./terminal/command.ts"
import { recordProgress, reportText } from "./terminal/migrate-text.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface MigrateOptions {
  dryRun?: boolean
  from?: string
  undo?: boolean
}

/** Takes over what older tools of this family have left in the project, or takes that back. */
export const migrateCommand: CliCommand<MigrateOptions> = {
  configure(command: Command) {
    command
      .option("--dry-run", "tell what would become of every record, and write nothing")
      .option("--from <path>", "another project's folder with old files; they stay as they are")
      .addOption(
        command
          .createOption("--undo", "put it all back: the files as they were, the graph without their records")
          .conflicts(["dryRun", "from"]),
      )
      .addHelpText("after", HELP)
  },

  run: (input) =>
    withAnyHive(input, async ({ project, place, hive }) => {
      const { dryRun = false, from, undo = false } = input.options
      const style = styleFor(input.io.stdout, input.io.env)
      const progress = recordProgress(input.io)
      const onWait = () => input.io.stderr.write("Another process is at the old files; waiting for it.\n")
      if (undo) {
        const undone = await undoMigration(hive, {
          onProgress: (done) => progress.show(done, "the log"),
          onWait,
        }).finally(progress.clear)
        const trouble = undone !== undefined && undone.left.length > 0
        return { data: { project, undone: undone ?? null }, text: undoText(cleanValues(undone)), trouble }
      }
      const folder = from === undefined ? undefined : requireFolder(project, resolve(input.dir, from))
      try {
        const migrated = await migrate(hive, {
          dryRun,
          ...(folder === undefined ? {} : { from: folder }),
          onProgress: progress.show,
          onWait,
        })
        progress.clear()
        const takenBack = migrated.report === null ? await takenBackNotice(hive) : undefined
        const elsewhere = [
          ...(folder === undefined ? otherPlaces(project, input.dir, place) : []),
          ...brokenOffNotices(project),
          ...(takenBack === undefined ? [] : [takenBack]),
        ]
        return {
          data: { project, dry_run: dryRun, ...migrated, elsewhere },
          text: [
            ...(migrated.report === null && elsewhere.length > 0
              ? [`Nothing to take over in ${project}.`]
              : [migrateText(cleanValues(migrated), dryRun, style)]),
            ...elsewhere,
          ].join("\n"),
          trouble: (migrated.report?.sources.quarantined ?? 0) > 0,
        }
      } finally {
        progress.clear()
      }
    }),
}

const HELP = `
Exit code 1 says that something is in quarantine, and all the rest was taken over; or that an undo could
not put every file back. Records that were built upon since, or that another clone has taken over as
well, stay, and that is no failure.

Example: hivemind migrate --dry-run`

function migrateText({ report, moves }: Migrated, dryRun: boolean, style: Style): string {
  if (report === null)
    return "Nothing to take over: no files of older tools, or all of them are in the graph."
  return [
    ...(dryRun ? [style("bold", "A dry run: nothing was written."), ""] : []),
    ...reportText(report, style),
    "",
    moves.length === 0
      ? "The old files stay as they are."
      : `${counted(moves.length, "old file")} in .hivemind/ ${dryRun ? "would be" : moves.length === 1 ? "is" : "are"} kept beside as .bak; all others stay as they are.`,
    ...(dryRun ? [] : ["`hivemind migrate --undo` puts it all back."]),
  ].join("\n")
}

function undoText(undone: Undone | undefined): string {
  if (undone === undefined) return "Nothing to put back: nothing was taken over."
  const { dropped, kept, files, earlier, left } = undone
  const count = Object.values(dropped).reduce((sum, each) => sum + each, 0)
  const more = kept.count - kept.examples.length
  return [
    `${counted(count, "record")} taken out of the graph, ${counted(files.length, "file")} put back.`,
    ...(kept.count === 0
      ? []
      : [
          `${counted(kept.count, "record")} ${kept.count === 1 ? "stays" : "stay"}, built upon since or another clone's as well:`,
        ]),
    ...kept.examples.map(({ name, why }) => `  ${name}: ${why}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(earlier.length === 0 ? [] : [`Earlier versions of them are kept: ${earlier.join(", ")}`]),
    ...left.map((each) => `Left as it is: ${each}`),
  ].join("\n")
}

/** Older tools kept their files where one stood; the hive is that of the whole repository. */
function otherPlaces(project: string, from: string, { dir, repository }: Located): string[] {
  // Without a repository nothing says where the project begins.
  return [...upwards(resolve(from), repository === null ? undefined : dir)]
    .filter((folder) => folder !== project && untakenFiles(project, folder).length > 0)
    .map((folder) => `Files of an older tool are in ${folder}: ${fromCommand(folder)} takes them over.`)
}

function requireFolder(project: string, path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path
  // Begun and gone since: there is nothing to go on with, which ends it.
  if (underWay(project, path) !== undefined) return path
  throw new HiveError({
    code: "invalid_argument",
    what: "There is no such folder.",
    why: "`--from` names the folder of a project: the one that holds `.hivemind/`, `.idumb/` or `.opencode/`.",
    use_instead: "Correct the path.",
    evidence: path,
  })
}
