import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { sessionMode } from "../../schemas/session.ts"
import { cutAt, listFrom, madeOf, objectFrom, piecesOf, stampFrom, textFrom } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { sessionRecord } from "../make-record.ts"
import { findPlan, type Known } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** `sessions/manifest.json`: every row is a session. */
export async function* readSessions(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === "sessions" && item.index !== null) yield rowFound(file, from, item.value, known)
    else if (!HEADER.has(item.key)) yield { from, ignore: "not a part of a list of sessions" }
  }
}

function rowFound(file: OldFile, from: string, value: unknown, known: Known): Found {
  const row = objectFrom(value)
  const stamp = textFrom(row?.["stamp"])
  const created = row?.["created"] ?? row?.["created_at"]
  if (row === undefined || (stamp === undefined && created === undefined && hostIds(row).length === 0))
    return { from, quarantine: "a session without a stamp, a time or an id", original: value }
  const made = madeOf({ created, updated: row["updated"] ?? row["closed"], stamp }, file.at)
  const isNewest = stamp !== undefined && stamp === known.activeStamp && known.session !== null
  const [
    host = isNewest && known.session !== null ? known.session.id : `session-${stamp ?? made.stamp}`,
    ...more
  ] = hostIds(row)
  const intent = textFrom(row["trajectory"])
  const summary = textFrom(row["summary"])
  const host_id = cutAt(host, 200)
  const record = sessionRecord({
    ...{ id: sessionIdOf(host_id), host_id, ...made },
    mode: modeFrom(row["mode"]),
    intent: intent === undefined ? null : piecesOf(intent)[0],
    summary: summary === undefined ? null : piecesOf(summary)[0],
  })
  const linked = listFrom(row["linked_plans"])
  const [plan = null, ...others] = linked.flatMap((id) => findPlan(known, id) ?? [])
  const isRenamed = stamp !== undefined && stampFrom(stamp) === undefined
  const notes = [
    ...(isRenamed ? ["a stamp that is none was replaced by that of its time"] : []),
    ...(more.length > 0 ? ["a session with several ids of the host keeps the first"] : []),
    ...(others.length > 0 ? ["a session with several plans stands at the first"] : []),
    ...(linked.length > 0 && plan === null ? ["the plan that a session was linked to is not there"] : []),
  ]
  return {
    from,
    take: sessionWithHead(record, plan),
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
  }
}

/** With a read-head of its own: else it would seem to stand where the project does. */
export function sessionWithHead(record: NewRecordOf<"session">, plan: string | null): Taken[] {
  const { id, host_id, created_at, updated_at, stamp } = record
  return [
    { kind: "session", record },
    {
      kind: "trajectory",
      record: {
        ...{ id: headIdOf(host_id), session_id: id, active_plan_id: plan, active_phase_id: null },
        ...{ active_task_ids: [], intent: record.intent, intent_about: null, intent_shift_at: null },
        ...{ created_at, updated_at, stamp },
      },
    },
  ]
}

export function modeFrom(value: unknown): "plan_driven" | "quick_fix" | "exploration" {
  return sessionMode.safeParse(value).data ?? "plan_driven"
}

/** One of the host's sessions, or a list of them. */
function hostIds(row: Record<string, unknown>): string[] {
  const { session_id: given } = row
  const list: unknown[] = Array.isArray(given) ? given : [given]
  return [...new Set(list.flatMap((each) => textFrom(each) ?? []))]
}

const HEADER: ReadonlySet<string> = new Set(["version", "active_stamp", "updated_at", "structure_format"])
