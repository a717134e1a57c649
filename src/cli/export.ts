import type { GraphState } from "../graph/state.ts"
import type { Session } from "../schemas/session.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { readableStamp } from "../shared/stamp.ts"
import { shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { exportPath, pruneExports, summarizeExports } from "../views/export/export-folder.ts"
import { exportSession } from "../views/export/export-session.ts"
import { findSession, newestSessions, noSessionYet } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { numberOption } from "./terminal/options.ts"

export const command: CliCommand<{ session?: string; list?: boolean; prune?: boolean; keep?: number }> = {
  configure(exporting) {
    const prune = exporting.createOption("--prune", "delete all but the newest exports, of all sessions")
    const keep = "with --prune: how many to keep (default: the option exports_kept)"
    exporting
      .option("--session <session>", "the session's time or id (default: the last active session)")
      .option("--list", "list the exports, newest first")
      .addOption(prune.conflicts(["list", "session"]))
      .addOption(numberOption("--keep <n>", keep, { min: 0, max: 999_999 }))
  },

  help: `After every fourth export of a session, the last four are also summarized in a mem.
Example: hivemind export --session 301411022026`,

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { list, prune, keep, session } = input.options
      if (keep !== undefined && prune !== true)
        throw new HiveError({
          code: "invalid_argument",
          what: "`--keep` needs `--prune`.",
          why: "`--keep` only says how many exports stay; exports are deleted only if you pass `--prune` as well.",
          use_instead: `Run \`hivemind export --prune --keep ${keep}\` to delete all but the newest ${keep}.`,
          evidence: `--keep ${keep}`,
        })
      const { state } = hive.store.read()
      if (list) {
        const { exports: all, skipped } = summarizeExports(hive)
        const stamp = session === undefined ? null : findSession(state, session).stamp
        const exports = all.filter((each) => stamp === null || each.stamp === stamp)
        const lines = exports.map((each) => {
          const complete = each.is_complete ? "complete" : counted(each.issues, "issue")
          const stale = each.is_stale ? ", stale" : ""
          return `${localTime(each.exported_at)}  ${each.name}  session of ${readableStamp(each.stamp)}  ${complete}${stale}`
        })
        const left = skipped.map(({ name, reason }) => `skipped: ${shorten(name)} (${shorten(reason)})`)
        const none = lines.length === 0 && "Nothing has been exported yet."
        return { data: { exports, strange: skipped }, text: [none, ...lines, ...left] }
      }
      if (prune) {
        const { kept, removed } = pruneExports(hive, keep)
        const text = `Deleted ${counted(removed.length, "export")}; ${counted(kept, "export")} kept.`
        return { data: { kept, removed }, text }
      }
      const { host_id } = chosenSession(state, session)
      const caller = { session: null, agent: null, tool: "hivemind export" }
      const { name, record, synthesis } = await exportSession(hive, caller, host_id)
      const { is_complete, issues } = record.validation
      const file = exportPath(hive, name)
      return {
        data: { file, export: record, synthesis: synthesis?.id ?? null },
        text: [
          `Exported the session of ${readableStamp(record.session.stamp)} to ${file}`,
          record.is_stale && `stale: no activity for ${Math.floor(record.staleness_hours)} h`,
          is_complete ? "complete" : `${counted(issues.length, "issue")}:`,
          ...issues.map((issue) => `  ${shorten(issue.text)}`),
          synthesis &&
            `The last four exports were summarized in the mem ${shortId(synthesis.id)}: ${shorten(synthesis.content)}`,
        ],
      }
    }),
}

function chosenSession(state: GraphState, wanted: string | undefined): Session {
  if (wanted !== undefined) return findSession(state, wanted)
  const newest = newestSessions(state).find(({ parent_host_id }) => parent_host_id === null)
  if (newest !== undefined) return newest
  throw noSessionYet("There is nothing to export.", "0 sessions")
}
