import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { isMemKey } from "../knowledge/memory/find.ts"
import { counted } from "../shared/amounts.ts"
import { readableStamp } from "../shared/stamp.ts"
import { shorten } from "../shared/text/clean.ts"
import { duration, localTime } from "../shared/time.ts"
import { type DriftBegan, findDriftBegin } from "../views/context/turns.ts"
import {
  listSessions,
  type SessionDetail,
  type SessionRow,
  type SessionState,
  sessionDetail,
  unrecordedDetail,
  unrecordedSessions,
} from "../views/lists/sessions.ts"
import { describeEntries } from "../views/log/log-entries.ts"
import { acknowledge } from "../watch/count-event.ts"
import { type DriftReport, driftReport } from "../watch/drift-report.ts"
import { findSession, findUnrecorded, newestSessions, noSessionYet } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import { type CliCommand, type CliInput, type CliResult, textLines } from "./terminal/command.ts"
import { memLine, refusalLine, spentText, windowText } from "./terminal/detail-text.ts"
import { listing } from "./terminal/listing.ts"
import { addListingOptions, choiceOption, definedOnly, type ListingOptions } from "./terminal/options.ts"
import { type Fields, fieldLines, firstLines, type Style } from "./terminal/style.ts"

interface SessionsOptions extends ListingOptions {
  state?: SessionState
  subagents?: boolean
  drift?: boolean
  bisect?: boolean
  acknowledge?: string
}

export const command: CliCommand<SessionsOptions> = {
  configure(sessions) {
    const state =
      "only sessions in this state; `left`: not closed, but the agent's program ended; `unrecorded`: without a record in the graph"
    const states: SessionState[] = ["open", "left", "continued", "closed", "unrecorded"]
    sessions
      .argument("[session]", "one session in full: its time or id")
      .addOption(choiceOption("--state <state>", state, states))
      .option("--subagents", "also sessions of subagents")
      .option("--drift", "how far the session (default: the newest) is off its task, its warnings and health")
      .option("--bisect", "the turn where its drift began, with the events of that turn")
      .option("--acknowledge <signal>", "silence that warning (default: in the newest session that has it)")
    addListingOptions(sessions)
  },

  help: 'Example: hivemind sessions "2026-02-11 14:30" --drift',

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [wanted] = input.args
      const { state, subagents, find, drift, bisect, acknowledge: signal } = input.options
      if (drift || bisect || signal !== undefined) return showDrift(hive, wanted, input)
      const { style } = input
      const now = hive.source.now()
      if (wanted !== undefined) {
        const unrecorded = await findUnrecorded(hive, wanted)
        const session =
          unrecorded === undefined
            ? await sessionDetail(hive, findSession(hive.store.read().state, wanted))
            : await unrecordedDetail(hive, unrecorded)
        return { data: { session }, text: detailLines(session, now, style) }
      }
      const filter = definedOnly({ state, subagents, words: find })
      const page = listSessions(hive, filter, input.options, await unrecordedSessions(hive))
      return listing(input, page, {
        // `--subagents` adds rows, so it does not count as a filter.
        filter: definedOnly({ state, find }),
        none: "There has been no session yet.",
        noneFound: "No such session.",
        render: (session) => sessionLines(session, now, style),
      })
    }),
}

function sessionLines(session: SessionRow, now: number, style: Style): string[] {
  const { state, name, host, agent, tasks, plan, updated_at, window, parent } = session
  const facts = textLines([
    textLines([HOSTS[host], agent]).join(", "),
    tasks.length === 0 ? "no current task" : tasks.map(({ short, title }) => `${short} ${title}`).join(", "),
    tasks.length === 0 && plan && `plan ${plan.title}`,
    parent && `subagent of ${readableStamp(parent)}`,
    window && windowText(window),
  ])
  const time = readableStamp(session.stamp)
  const title = shorten(state === "unrecorded" ? "no record of its own" : name, 80)
  const age = `last active ${duration(now - Date.parse(updated_at))} ago`
  return [
    `${style("cyan", time.padEnd(TIME_WIDTH))} ${style(state === "open" ? "green" : "dim", state.padEnd(STATE_WIDTH))} ${style("bold", title)}, ${age}`,
    `${" ".repeat(Math.max(time.length, TIME_WIDTH) + STATE_WIDTH + 2)}${style("dim", facts.map((each) => shorten(each, MAX_FACT)).join(" · "))}`,
  ]
}

function detailLines(session: SessionDetail, now: number, style: Style): string[] {
  const { did, refusals, spent, stamp, host_id, id } = session
  const tools = Object.entries(did?.tools ?? {}).map(([tool, n]) => `${tool} ${n}`)
  const fields: Fields = {
    ids: [...new Set([stamp, host_id, id])],
    began: localTime(did?.began ?? session.created_at),
    closed: did?.closed && localTime(did.closed),
    calls: tools.length === 0 ? null : tools.join(", "),
    files: firstLines(did?.files_modified ?? []),
    completed: firstLines((did?.tasks_completed ?? []).map((task) => `${task.id.slice(0, 8)} ${task.title}`)),
    mems: firstLines((did?.mems ?? []).map(memLine)),
    anchors: firstLines(did?.anchors.made ?? []),
    delegated: firstLines(
      (did?.delegations ?? []).map(({ to, task, status }) => `${to}: ${task} (${status})`),
    ),
    compacted: did?.compactions ? `${did.compactions} times` : null,
    spent: spentText(spent),
    refused: firstLines(refusals.map(refusalLine)),
  }
  const more = `\`hivemind context --session ${stamp}\` shows everything that HiveMind sent to its model.`
  return [...sessionLines(session, now, style), "", ...fieldLines(fields, style), style("dim", more)]
}

async function showDrift(
  hive: Hive,
  wanted: string | undefined,
  { options: { bisect, acknowledge: signal }, style }: CliInput<SessionsOptions>,
): Promise<CliResult> {
  const session = driftSession(hive, wanted, signal)
  if (bisect && session !== null) {
    const began = await findDriftBegin(hive, session)
    return { data: { ...began }, text: driftBeganLines(began, hive.store.read().state, style) }
  }
  if (signal !== undefined) await acknowledgeWarning(hive, session, signal)
  const report = driftReport(hive, session)
  const said = signal === undefined ? [] : [`Acknowledged ${signal} of ${sessionTitle(hive, session)}.`, ""]
  return { data: { ...report }, text: [...said, ...driftLines(report, style)] }
}

function driftSession(hive: Hive, wanted: string | undefined, signal: string | undefined): string | null {
  const { state } = hive.store.read()
  // A session without a record in the graph may still have drift counters (`metrics`).
  if (wanted !== undefined) return state.metrics.has(wanted) ? wanted : findSession(state, wanted).host_id
  const recorded = newestSessions(state).map(({ host_id }) => host_id)
  const others = [...state.metrics.keys()].filter((key) => !isMemKey(key)).reverse()
  const sessions = [...new Set([...recorded, ...others])]
  const hasWarning = (id: string) => driftReport(hive, id).warnings.some((each) => each.signal === signal)
  return (signal && sessions.find(hasWarning)) ?? sessions[0] ?? null
}

function sessionTitle(hive: Hive, session: string | null): string {
  const known = sessionOf(hive.store.read().state, session)
  if (known === undefined) return `session ${session}`
  return `session ${readableStamp(known.stamp)} (${shorten(known.intent ?? known.host_id, 60)})`
}

async function acknowledgeWarning(hive: Hive, session: string | null, signal: string): Promise<void> {
  if (session === null) throw noSessionYet("There is no warning to acknowledge.", `--acknowledge ${signal}`)
  await acknowledge(hive, { session, agent: null, tool: "hivemind sessions" }, signal)
}

function driftLines(report: DriftReport, style: Style): string[] {
  const { drift, health, warnings, calls } = report
  const scoreLines = ({ score, moved }: DriftReport["drift"]) => [
    `${score} of 100`,
    ...moved.map(({ by, why }) => `${by < 0 ? "" : "+"}${by}  ${why}`),
  ]
  const warningText = (each: DriftReport["warnings"][number]) =>
    `${each.signal} (${each.severity}${each.shown_to === "model" ? "" : ", not shown to the model"}): ${each.text}`
  const isQuiet = warnings.length === 0
  const { all, ...kinds } = calls
  const byKind = Object.entries(kinds).flatMap(([name, n]) => (n > 0 ? [`${n} ${name}`] : []))
  const fields = {
    session: report.session ?? "none yet",
    drift: scoreLines(drift),
    health: scoreLines(health),
    governance: report.governance,
    warnings: isQuiet ? style("green", "none") : warnings.map((each) => style("yellow", warningText(each))),
    acknowledged: report.acknowledged.map(warningText),
    calls: all === 0 ? "none" : `${all}: ${byKind.join(", ")}`,
  }
  return fieldLines(fields, style)
}

function driftBeganLines({ session, points, began }: DriftBegan, state: GraphState, style: Style): string[] {
  if (began === null) return fieldLines({ session, drift: "none: the session has not drifted" }, style)
  const { turn, at, until, score, signals, isOver, entries, told, calls, found } = began
  const scores = points.map((point) => `${point.turn ?? "now"}: ${point.score}`).slice(-MAX_POINTS)
  const changes = describeEntries([...entries], new Set(entries), state).flatMap(
    ({ entry, changes: lines }) => lines.map((line) => `${localTime(entry.at)} ${entry.by.tool}: ${line}`),
  )
  const said = told.map(
    ({ at: time, kind, tool, text }) =>
      `${localTime(time)} ${kind}${tool === null ? "" : ` ${tool}`}: ${shorten(text, 160)}`,
  )
  const failed = calls?.failed ? `${calls.failed} of ${counted(calls.all, "call")} failed` : null
  const callLine = failed ?? (calls?.all ? `${counted(calls.all, "call")}, none of them failed` : [])
  const happened = [callLine, found, [...changes, ...said].sort()].flat()
  const where = turn === null ? "before the first turn that was measured" : `in turn ${turn}`
  const fields = {
    session,
    "score by turn": scores.join(", "),
    began: `${where}, ${localTime(at)} to ${localTime(until)}${isOver ? "; the drift is over" : ""}`,
    drift: `rose from 0 to ${score} of 100 because of ${signals.join(", ")}`,
    "what happened": happened.length === 0 ? "nothing was recorded" : happened,
    more: turn === null ? null : `\`hivemind context replay ${turn} --session ${session}\``,
  }
  return fieldLines(fields, style)
}

const HOSTS: Record<SessionRow["host"], string> = { opencode: "OpenCode", mcp: "over MCP", api: "a program" }
// Wide enough for a time with ` #2`, which marks the second session of the same minute.
const TIME_WIDTH = 19
const STATE_WIDTH = 10
const MAX_FACT = 100
const MAX_POINTS = 30
