import { tryParse } from "../../schemas/checked.ts"
import { sessionMode } from "../../schemas/session.ts"
import { counted } from "../../shared/amounts.ts"
import {
  cutAt,
  listFrom,
  madeOf,
  objectFrom,
  shortTextIn,
  stampFrom,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import { memRecords, sessionRecords } from "../records/new-records.ts"
import type { SourceRecord } from "../records/report.ts"
import {
  type Context,
  type Fields,
  type LegacyFile,
  legacyId,
  listReader,
  type Made,
  placeIn,
} from "./context.ts"
import { jsonText } from "./knowledge.ts"
import { flatRecords } from "./tree.ts"

/** `sessions/manifest.json`: every row is a session. */
export const readSessions = listReader("sessions", ({ from, value }, file, context) => {
  const row = objectFrom(value)
  const stamp = textIn(row, "stamp")
  const created = row?.["created"] ?? row?.["created_at"]
  // One session of the host, or a list of them.
  const hosts = [...new Set([row?.["session_id"]].flat().flatMap((each) => textFrom(each) ?? []))]
  if (row === undefined || (stamp === undefined && created === undefined && hosts.length === 0))
    return { from, quarantine: "a session without a stamp, a time or an id", original: value }
  const made = madeOf({ created, updated: row["updated"] ?? row["closed"], stamp }, file.at)
  const newest = stamp !== undefined && stamp === context.activeStamp ? context.session?.id : undefined
  const [host = newest ?? `session-${stamp ?? made.stamp}`] = hosts
  const linked = listFrom(row["linked_plans"])
  const [plan = null, ...otherPlans] = linked.flatMap((id) => context.plans.get(id) ?? [])
  const notes = [
    ...(stamp !== undefined && stampFrom(stamp) === undefined
      ? ["a stamp that is none was replaced by that of its time"]
      : []),
    ...(hosts.length > 1 ? ["a session with several ids of the host keeps the first"] : []),
    ...(otherPlans.length > 0 ? ["a session with several plans stands at the first"] : []),
    ...(linked.length > 0 && plan === null ? ["the plan that a session was linked to is not there"] : []),
  ]
  const records = sessionRecords(host, plan, {
    ...made,
    mode: modeFrom(row["mode"]),
    intent: shortTextIn(row, MAX_TEXT, "trajectory"),
    summary: shortTextIn(row, MAX_TEXT, "summary"),
  })
  return { from, records, note: notes.length === 0 ? undefined : notes.join("; ") }
})

/** `brain.json`: one session with its metrics, and where it stood as three lines of text. */
export async function* readBrain(
  file: LegacyFile,
  context: Context,
): AsyncGenerator<SourceRecord, void, void> {
  const parts = new Map<string, unknown>()
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.index !== null) yield { from, ignore: SESSION_OVER }
    else if (item.key !== "version") parts.set(item.key, item.value)
  }
  const session = objectFrom(parts.get("session")) ?? {}
  const isOther = context.session !== null && context.session.file !== file.path
  // A layout has left a copy where the one before it was.
  if (isOther && context.session?.id === session["id"]) {
    for (const key of parts.keys())
      yield { from: placeIn(file, key), ignore: "another state file of the same session is newer" }
    return
  }
  const hierarchy = objectFrom(parts.get("hierarchy")) ?? {}
  const at = timeOf(session["last_activity"], file.at)
  const isOver = isOther && at <= (context.session?.at ?? "")
  const made = madeOf({ created: session["start_time"], updated: at }, at)
  const host = textIn(session, "id") ?? `session-${made.stamp}`
  const report = jsonText(parts.get("next_compaction_report"))
  for (const [key, value] of parts) {
    const from = placeIn(file, key)
    if (key === "session") {
      const intent = shortTextIn(hierarchy, MAX_TEXT, "trajectory")
      const next_report = report === undefined ? null : cutAt(report, MAX_TEXT)
      const given = { ...made, mode: modeFrom(session["mode"]), intent, next_report }
      yield { from, records: sessionRecords(host, null, given) }
    } else if (key === "hierarchy") yield* flatRecords(file, hierarchy, { made, at, isOver }, context)
    else if (key === "metrics") yield metricsFound(from, objectFrom(value) ?? {}, host, made)
    else if (key !== "next_compaction_report") yield { from, ignore: SESSION_OVER }
    else if (report === undefined) yield { from, ignore: "empty" }
    else {
      const id = legacyId("report", host, report)
      const session_id = cutAt(host, 200)
      yield { from, records: memRecords({ id, content: report, shelf: "reports", session_id, ...made }) }
    }
  }
}

/** The counts as the summary of the session, unless another file has a better one. */
function metricsFound(from: string, metrics: Fields, host: string, made: Made): SourceRecord {
  const files = listFrom(metrics["files_touched"], 300)
  const counts: [string, string][] = [
    ["turn_count", "turn"],
    ["total_tool_calls", "tool call"],
    ["violation_count", "violation"],
  ]
  const words = [
    ...counts.flatMap(([name, noun]) =>
      Number(metrics[name]) > 0 ? counted(Number(metrics[name]), noun) : [],
    ),
    ...(files.length > 0
      ? [`${counted(files.length, "file")} touched: ${files.slice(0, 50).join(", ")}`]
      : []),
  ]
  if (words.length === 0) return { from, ignore: "nothing was measured" }
  return {
    from,
    records: sessionRecords(host, null, { ...made, summary: cutAt(`${words.join("; ")}.`, 20_000) }),
  }
}

function modeFrom(value: unknown): "plan_driven" | "quick_fix" | "exploration" {
  return tryParse(sessionMode, value).data ?? "plan_driven"
}

const SESSION_OVER = "the state of a session that is over"
const MAX_TEXT = 100_000
