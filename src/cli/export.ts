import type { Command } from "commander"
import type { GraphState } from "../graph/state.ts"
import type { Caller } from "../hive/hive.ts"
import type { Session } from "../schemas/session.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import {
  type ExportSummary,
  exportPath,
  pruneExports,
  type SkippedFile,
  summarizeExports,
} from "../views/export/export-folder.ts"
import { exportSession } from "../views/export/export-session.ts"
import { findSession, newestSessions } from "./project/find-session.ts"
import { withOldMems } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"

interface ExportOptions {
  session?: string
  list?: boolean
  prune?: boolean
  keep?: string
}

/** Writes an export of a session, or sees to those that are there. */
export const exportCommand: CliCommand<ExportOptions> = {
  configure(command: Command) {
    command
      .option("--session <session>", "its stamp or id (default: the one that was last at work)")
      .option("--list", "list what was exported, newest first")
      .addOption(
        command
          .createOption("--prune", "delete all exports but the newest, over all sessions")
          .conflicts(["list", "session"]),
      )
      .addOption(
        command
          .createOption("--keep <n>", "how many to keep (default: the option exports_kept)")
          .implies({ prune: true }),
      )
      .addHelpText(
        "after",
        "\nEvery fourth export of a session is also put into a mem with what these turns came to; it is said when that happens.\n",
      )
      .addHelpText("after", "Example: hivemind export --session 301411022026")
  },

  run: (input) =>
    withOldMems(input, async ({ project, hive }): Promise<CliResult> => {
      const { list, prune, keep, session } = input.options
      if (list) {
        const { exports: all, skipped } = summarizeExports(hive)
        const stamp = session === undefined ? null : findSession(hive.store.read().state, session).stamp
        const exports = all.filter((each) => stamp === null || each.stamp === stamp)
        return { data: { project, exports, strange: skipped }, text: renderList(exports, skipped) }
      }
      if (prune) {
        const { kept, removed } = pruneExports(hive, keep === undefined ? undefined : parseKeep(keep))
        const text = `Deleted ${counted(removed.length, "export")}; ${counted(kept, "export")} kept.`
        return { data: { project, kept, removed }, text }
      }
      const { host_id } = chosenSession(hive.store.read().state, session)
      const { name, record, synthesis } = await exportSession(hive, BY, host_id)
      const { is_complete, issues } = record.validation
      const file = exportPath(hive, name)
      const text = [
        `Exported session ${record.session.stamp} to ${file}`,
        ...(record.is_stale ? [`stale: no sign of life for ${Math.floor(record.staleness_hours)} h`] : []),
        is_complete ? "complete" : `${counted(issues.length, "issue")}:`,
        ...issues.map((issue) => `  ${shorten(issue.text)}`),
        ...(synthesis === null
          ? []
          : [`The last four also became the mem ${shortId(synthesis.id)}: ${shorten(synthesis.content)}`]),
      ].join("\n")
      return { data: { project, file, export: record, synthesis: synthesis?.id ?? null }, text }
    }),
}

function renderList(exports: ExportSummary[], skipped: SkippedFile[]): string {
  const lines = exports.map(
    ({ name, exported_at, stamp, is_complete, issues, is_stale }) =>
      `${localTime(exported_at)}  ${name}  session ${stamp}  ${is_complete ? "complete" : counted(issues, "issue")}${is_stale ? ", stale" : ""}`,
  )
  const left = skipped.map(({ name, reason }) => `left alone: ${shorten(name)} (${shorten(reason)})`)
  return [...(lines.length === 0 ? ["Nothing has been exported yet."] : lines), ...left].join("\n")
}

/** The wanted session, or the newest that is not a subagent's. */
function chosenSession(state: GraphState, wanted: string | undefined): Session {
  if (wanted !== undefined) return findSession(state, wanted)
  const newest = newestSessions(state).find(({ parent_host_id }) => parent_host_id === null)
  if (newest !== undefined) return newest
  throw new HiveError({
    code: "not_found",
    what: "There is nothing to export.",
    why: "No session has been at work in this project yet.",
    use_instead: "Start one in OpenCode first.",
    evidence: "0 sessions",
  })
}

function parseKeep(given: string): number {
  if (/^\d{1,6}$/.test(given)) return Number(given)
  throw new HiveError({
    code: "invalid_argument",
    what: `\`--keep ${given}\` is not a number.`,
    why: "It says how many exports stay.",
    use_instead: "Pass a whole number, such as `--keep 10`.",
    evidence: `--keep ${given}`,
  })
}

const BY: Caller = { session: null, agent: null, tool: "hivemind export" }
