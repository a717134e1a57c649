import type { Command } from "commander"
import { shorten } from "../shared/text/clean.ts"
import { duration, localTime } from "../shared/time.ts"
import {
  listSessions,
  type SessionDetail,
  type SessionRow,
  type SessionState,
  sessionDetail,
  unrecordedDetail,
} from "../views/look/sessions.ts"
import { unrecordedSessions } from "../views/look/unrecorded.ts"
import type { SessionRecord } from "../work/session/record.ts"
import { findSession, findUnrecorded } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { fewOf, refusalLine, spentText } from "./terminal/detail-text.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { type Row, rowsWith, type Style, styleFor } from "./terminal/style.ts"
import { windowText } from "./terminal/window-text.ts"

interface SessionsOptions extends ListingOptions {
  state?: SessionState
  subagents?: boolean
}

/** The sessions: whose they are, what each has in hand, and what became of it. Reads only. */
export const sessionsCommand: CliCommand<SessionsOptions> = {
  configure(command: Command) {
    command
      .argument("[session]", "one in full: its stamp or id")
      .addOption(
        command
          .createOption(
            "--state <state>",
            "only those; `left`: its program has ended without closing it; `unrecorded`: it has no record",
          )
          .choices(["open", "left", "continued", "closed", "unrecorded"]),
      )
      .option("--subagents", "also those of subagents")
    addListingOptions(command).addHelpText("after", "\nExample: hivemind sessions --state open")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }): Promise<CliResult> => {
      const [wanted] = input.args
      const { state, subagents, find } = input.options
      const style = styleFor(input.io.stdout, input.io.env)
      const now = hive.source.now()
      if (wanted !== undefined) {
        const unrecorded = await findUnrecorded(hive, wanted)
        const session =
          unrecorded === undefined
            ? await sessionDetail(hive, findSession(hive.store.read().state, wanted))
            : await unrecordedDetail(hive, unrecorded)
        return { data: { project, session }, text: detailText(session, now, style) }
      }
      const paging = pagingOf(input.options)
      const page = listSessions(
        hive,
        {
          ...(state && { state }),
          ...(subagents && { subagents }),
          ...(find && { words: find }),
        },
        paging,
        await unrecordedSessions(hive),
      )
      return listing(page, paging, {
        project,
        style,
        empty: state || find ? "No such session." : "There has been no session yet.",
        render: (session) => sessionLines(session, now, style),
      })
    }),
}

function sessionLines(session: SessionRow, now: number, style: Style): string[] {
  const { stamp, state, intent, host, agent, tasks, plan, updated_at, window, parent } = session
  const facts = [
    [HOSTS[host], agent].filter((each) => each !== null).join(", "),
    tasks.length === 0 ? "no task at hand" : tasks.map(({ short, title }) => `${short} ${title}`).join(", "),
    ...(tasks.length > 0 || plan === null ? [] : [`plan ${plan.title}`]),
    ...(parent === null ? [] : [`subagent of ${parent}`]),
    ...(window === null ? [] : [windowText(window)]),
  ]
  const age = `${duration(now - Date.parse(updated_at))} ago`
  return [
    `${style("cyan", stamp.padEnd(STAMP_WIDTH))} ${style(state === "open" ? "green" : "dim", state.padEnd(STATE_WIDTH))} ${style("bold", shorten(intent ?? nothingOf(state), MAX_INTENT))}, ${age}`,
    `${" ".repeat(Math.max(stamp.length, STAMP_WIDTH) + STATE_WIDTH + 2)}${style("dim", facts.map((each) => shorten(each, MAX_FACT)).join(" · "))}`,
  ]
}

function nothingOf(state: SessionState): string {
  return state === "unrecorded" ? "no record of its own" : "no intent yet"
}

function detailText(session: SessionDetail, now: number, style: Style): string {
  const { did, refusals, spent, host_id, id } = session
  const row = rowsWith(style, LABEL_WIDTH)
  return [
    ...sessionLines(session, now, style),
    "",
    ...row("ids", [...new Set([host_id, id])]),
    ...(did === null ? row("began", [localTime(session.created_at)]) : didLines(did, row)),
    ...row("spent", spent === null ? [] : [spentText(spent)]),
    ...row("refused", fewOf(refusals, refusalLine)),
    style("dim", `\`hivemind context --session ${session.stamp}\` shows what its model was told.`),
  ].join("\n")
}

function didLines(did: SessionRecord, row: Row): string[] {
  const tools = Object.entries(did.tools).map(([tool, n]) => `${tool} ${n}`)
  return [
    ...row("began", [localTime(did.began)]),
    ...row("closed", did.closed === null ? [] : [localTime(did.closed)]),
    ...row("calls", tools.length === 0 ? [] : [tools.join(", ")]),
    ...row(
      "files",
      fewOf(did.files_modified, (file) => file),
    ),
    ...row(
      "completed",
      fewOf(did.tasks_completed, ({ id: task, title }) => `${task.slice(0, 8)} ${title}`),
    ),
    ...row(
      "mems",
      fewOf(did.mems, ({ id: mem, kind, content }) => `${mem.slice(0, 8)} ${kind}: ${shorten(content)}`),
    ),
    ...row(
      "anchors",
      fewOf(did.anchors.made, (key) => key),
    ),
    ...row(
      "handed on",
      fewOf(did.delegations, ({ to, task, status }) => `${to}: ${task} (${status})`),
    ),
    ...row("compacted", did.compactions === 0 ? [] : [`${did.compactions} times`]),
  ]
}

const HOSTS: Record<SessionRow["host"], string> = { opencode: "OpenCode", mcp: "over MCP", api: "a program" }
// Two sessions of one minute have a `-2` behind their stamp.
const STAMP_WIDTH = 14
const STATE_WIDTH = 10
const MAX_INTENT = 80
const MAX_FACT = 100
const LABEL_WIDTH = 11
