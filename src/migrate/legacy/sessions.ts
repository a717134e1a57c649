import { tryParse } from "../../schemas/checked.ts"
import { sessionMode } from "../../schemas/session.ts"
import { counted } from "../../shared/amounts.ts"
import {
  cutAt,
  type Fields,
  jsonText,
  listFrom,
  type Made,
  madeOf,
  noteOf,
  objectFrom,
  shortTextIn,
  stampFrom,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { jsonItems, placeIn } from "../records/json-items.ts"
import { memRecords, sessionRecords } from "../records/new-records.ts"
import type { SourceRecord } from "../records/report.ts"
import { type LegacyReader, legacyId, listReader } from "./context.ts"
import { flatRecords } from "./tree.ts"

export const readSessions = listReader("sessions", ({ from, value }, file, context) => {
  const row = objectFrom(value)
  const stamp = textIn(row, "stamp")
  const created = row?.["created"] ?? row?.["created_at"]
  const hosts = [...new Set([row?.["session_id"]].flat().flatMap((each) => textFrom(each) ?? []))]
  if (row === undefined || (stamp === undefined && created === undefined && hosts.length === 0))
    return { from, quarantine: "a session without a stamp, a time or an id", original: value }
  const made = madeOf({ created, updated: row["updated"] ?? row["closed"], stamp }, file.at)
  const newest = stamp !== undefined && stamp === context.activeStamp ? context.session?.id : undefined
  const [host = newest ?? `session-${stamp ?? made.stamp}`] = hosts
  const linked = listFrom(row["linked_plans"])
  const [plan = null, ...otherPlans] = linked.flatMap((id) => context.plans.get(id) ?? [])
  const isNoStamp = stamp !== undefined && stampFrom(stamp) === undefined
  const note = noteOf(
    isNoStamp && "an invalid stamp was replaced by one for its time",
    hosts.length > 1 && "a session had several host ids: the first is kept",
    otherPlans.length > 0 && "a session had several plans: the first is kept",
    linked.length > 0 && plan === null && "the plan that a session was linked to does not exist",
  )
  const records = sessionRecords(host, plan, {
    ...made,
    mode: modeFrom(row["mode"]),
    intent: shortTextIn(row, MAX_TEXT, "trajectory"),
    summary: shortTextIn(row, MAX_TEXT, "summary"),
  })
  return { from, records, note }
})

/** Reads `brain.json`: a session, its metrics, and its position in the plan as three titles. */
export const readBrain: LegacyReader = async function* (file, context) {
  const parts = new Map<string, unknown>()
  for await (const item of jsonItems(file)) {
    if ("quarantine" in item) yield item
    else if (item.index !== null) yield { from: item.from, ignore: SESSION_OVER }
    else if (item.key !== "version") parts.set(item.key, item.value)
  }
  const session = objectFrom(parts.get("session")) ?? {}
  const isOther = context.session !== null && context.session.file !== file.path
  // When it moved to a newer layout, the tool left a copy of its state file in the old place.
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

/** Makes a summary of the session from its metrics. A summary in another file is preferred. */
function metricsFound(from: string, metrics: Fields, host: string, made: Made): SourceRecord {
  const files = listFrom(metrics["files_touched"], 300)
  const words = Object.entries(COUNTS).flatMap(([name, noun]) =>
    Number(metrics[name]) > 0 ? counted(Number(metrics[name]), noun) : [],
  )
  if (files.length > 0)
    words.push(`${counted(files.length, "file")} touched: ${files.slice(0, 50).join(", ")}`)
  if (words.length === 0) return { from, ignore: "a session without metrics" }
  const summary = cutAt(`${words.join("; ")}.`, 20_000)
  return { from, records: sessionRecords(host, null, { ...made, summary }) }
}

function modeFrom(value: unknown): "plan_driven" | "quick_fix" | "exploration" {
  return tryParse(sessionMode, value).data ?? "plan_driven"
}

const COUNTS = { turn_count: "turn", total_tool_calls: "tool call", violation_count: "violation" }
const SESSION_OVER = "the state of a session that is over"
const MAX_TEXT = 100_000
