import { resolve } from "node:path"
import { agentFolders, describeSessions, findSessions, sessionsIn } from "../history/find-sessions.ts"
import { importSessions, type SessionImport, undoSessions } from "../history/import-sessions.ts"
import type { FoundSession } from "../history/read/step.ts"
import type { UndoneRecords } from "../migrate/records/undo-records.ts"
import { counted } from "../shared/amounts.ts"
import { withAnyHive, withHive } from "./project/open-project.ts"
import { type CliCommand, textLines } from "./terminal/command.ts"
import { cleanValues } from "./terminal/output.ts"
import { withCount } from "./terminal/progress.ts"
import type { Style } from "./terminal/style.ts"

export const sessionsCommand: CliCommand<{ dryRun?: boolean; undo?: boolean }> = {
  configure(importing) {
    const path = "a transcript, or a folder of transcripts (default: the agents' own folders)"
    importing
      .argument("[path]", path)
      .option("--dry-run", "show what would be kept, with its source, and write nothing")
      .option(
        "--undo",
        "take back the imported records, unless later work depends on them, and delete the index",
      )
  },

  help: `Reads sessions of Claude Code, Codex CLI, Gemini CLI and OpenCode that began in this project, and sessions that
Entire and SpecStory keep in the repository. HiveMind keeps at most four records of each session, and checks them
against the project's current files. Running the command again changes nothing.

Examples: hivemind import sessions --dry-run
          hivemind import sessions ~/old-laptop/claude/projects/shop`,

  run(input) {
    const { io, options, style, dir } = input
    const { dryRun = false, undo = false } = options
    // A dry run also works in a project without HiveMind.
    return (dryRun ? withAnyHive : withHive)(input, async ({ place, hive }) => {
      if (undo) {
        const undone = await undoSessions(hive, { dryRun })
        return { data: { dry_run: dryRun, ...undone }, text: undoneLines(undone, dryRun) }
      }
      const [path] = input.args
      const found =
        path === undefined
          ? await findSessions(place, agentFolders(io.env, io.home))
          : await sessionsIn(resolve(dir, path))
      const nothing = path === undefined ? NOTHING_FOUND : "There is no readable transcript at that path."
      if (found.length === 0)
        return { data: { dry_run: dryRun, sessions: { found: 0 } }, text: nothing, trouble: true }
      const counting = (done: number) => `${done} of ${counted(found.length, "past session")}`
      const done = await withCount(io, counting, (onProgress) =>
        importSessions(hive, found, { dryRun, onProgress }),
      )
      const { kept, sessions, report } = done
      const { ignored } = report
      return {
        data: { dry_run: dryRun, found: found.map(foundData), sessions, kept, ignored, report },
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
  const known = already > 0 ? `, ${already} existed already` : ""
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
          "The records are unconfirmed and rank below mems that were saved. `hivemind recall --history <words>` searches the conversations.",
          "`hivemind import sessions --undo` takes the import back.",
        ]),
  ]
}

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
  const stay = kept.count === 1 ? "stays" : "stay"
  return textLines([
    mems === 0
      ? "Nothing to take back: no records were made from past sessions."
      : `${dryRun ? "Would take" : "Took"} back ${counted(mems, "record")}.`,
    kept.count > 0 && `${counted(kept.count, "record")} ${stay} because of later work.`,
    !dryRun && "The index of past sessions was deleted.",
  ])
}

const NOTHING_FOUND =
  "No past sessions of this project were found in Claude Code, Codex CLI, Gemini CLI, OpenCode, Entire or SpecStory. If the project was moved, pass the folder with its transcripts."
const TITLES = {
  rule: "Rules",
  decision: "Decisions",
  false_path: "Failed approaches",
  insight: "Your statements and open points",
  fact: "Causes and results",
  pattern: "Commands and files",
}
