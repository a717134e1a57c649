import { resolve } from "node:path"
import type { Command } from "commander"
import { agentFolders, findSessions, sessionsIn } from "../history/find-sessions.ts"
import { importSessions, type SessionImport, undoSessions } from "../history/import-sessions.ts"
import { describeSessions } from "../history/offer.ts"
import type { FoundSession } from "../history/read/step.ts"
import type { UndoneRecords } from "../migrate/records/undo-records.ts"
import { counted } from "../shared/amounts.ts"
import { withAnyHive, withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { cleanValues } from "./terminal/output.ts"
import { progressLine } from "./terminal/progress.ts"
import type { Style } from "./terminal/style.ts"

interface SessionOptions {
  dryRun?: boolean
  undo?: boolean
}

/** Turns past sessions of agents into unconfirmed records, and makes them searchable. */
export const sessionsCommand: CliCommand<SessionOptions> = {
  configure(importing: Command) {
    importing
      .argument(
        "[path]",
        "a transcript, or a folder with some (default: where the agents keep this project's)",
      )
      .option("--dry-run", "show what would be kept, with its source, and write nothing")
      .option("--undo", "take back the records, unless later work depends on them, and delete the index")
      .addHelpText("after", HELP)
  },

  run(input) {
    const { io, options, style, dir } = input
    const { dryRun = false, undo = false } = options
    // A dry run needs no set-up.
    return (dryRun ? withAnyHive : withHive)(input, async ({ place, hive }) => {
      if (undo) {
        const undone = await undoSessions(hive, { dryRun })
        return { data: { dry_run: dryRun, ...undone }, text: undoneLines(undone, dryRun) }
      }
      const [path] = input.args
      const found =
        path === undefined
          ? await findSessions(place, agentFolders(io.env, io.home))
          : sessionsIn(resolve(dir, path))
      if (found.length === 0)
        return { data: { dry_run: dryRun, sessions: { found: 0 } }, text: nothingFound(path), trouble: true }
      const progress = progressLine(io)
      const onProgress = (done: number) =>
        progress.showOften(`${done} of ${counted(found.length, "past session")}`)
      const done = await importSessions(hive, found, { dryRun, onProgress }).finally(progress.clear)
      const { kept, sessions, report } = done
      return {
        data: {
          dry_run: dryRun,
          found: found.map(foundData),
          sessions,
          kept,
          ignored: report.ignored,
          report,
        },
        text: importLines(found, cleanValues(done), dryRun, style),
        trouble: sessions.unreadable.length > 0,
      }
    })
  },
}

function foundData({ agent, id, path, modified, bytes }: FoundSession) {
  return { agent, id, path, modified, bytes }
}

function importLines(
  found: readonly FoundSession[],
  { kept, sessions, report }: SessionImport,
  dryRun: boolean,
  style: Style,
): string[] {
  const { taken, already, ignored } = report.sources
  const known = already > 0 ? `, ${already} were there already` : ""
  return [
    `${dryRun ? "Would import" : "Imported"} ${describeSessions(found)}.`,
    `${counted(taken, "record")} ${dryRun ? "would be " : ""}kept${known}${ignored > 0 ? `, ${ignored} left out` : ""}.`,
    ...(already > 0 && taken === 0 ? [] : keptLines(kept, style)),
    ...report.ignored.map(({ reason, count, example }) => `  left out: ${reason} (${count}; ${example})`),
    ...sessions.unreadable.map(({ path, reason }) => `  not readable: ${path} (${reason})`),
    "",
    ...(dryRun
      ? ["Nothing was written."]
      : [
          "They are unconfirmed, and rank below what somebody saved. `hivemind recall --history <words>` searches all that was said.",
          "`hivemind import sessions --undo` takes it all back.",
        ]),
  ]
}

/** By kind, each with its source. */
function keptLines(kept: SessionImport["kept"], style: Style): string[] {
  return Object.entries(TITLES).flatMap(([kind, title]) => {
    const some = kept.filter((each) => each.kind === kind)
    if (some.length === 0) return []
    return [
      "",
      style("bold", `${title} (${some.length})`),
      ...some.flatMap(({ content, from }) => [`  ${content}`, `    ${style("dim", from)}`]),
    ]
  })
}

function undoneLines({ dropped, kept }: UndoneRecords, dryRun: boolean): string[] {
  const mems = dropped.mem ?? 0
  return [
    mems === 0
      ? "No record of past sessions was there."
      : `${dryRun ? "Would take" : "Took"} back ${counted(mems, "record")}.`,
    ...(kept.count > 0
      ? [
          `${counted(kept.count, "record")} changed or built upon since ${kept.count === 1 ? "stays" : "stay"}.`,
        ]
      : []),
    ...(dryRun ? [] : ["The index of past sessions is deleted."]),
  ]
}

function nothingFound(path: string | undefined): string {
  return path === undefined
    ? "No past sessions of this project were found: of Claude Code, Codex CLI, Gemini CLI, OpenCode, Entire or SpecStory. If the project was moved, name the folder with its transcripts."
    : "No transcript that can be read is there."
}

const TITLES = {
  ...{
    rule: "Rules",
    decision: "Decisions",
    false_path: "Failed approaches",
    insight: "Said by you, or left open",
  },
  ...{ fact: "Causes and results", pattern: "Commands and files" },
}
const HELP = `
Reads the sessions that began in this project: of Claude Code, Codex CLI, Gemini CLI and OpenCode, and what
Entire and SpecStory keep in the repository. Other projects' sessions are not read. At most four records of
each session are kept, checked against the project as it is today. Running it again changes nothing.

Examples: hivemind import sessions --dry-run
          hivemind import sessions ~/old-laptop/claude/projects/shop`
