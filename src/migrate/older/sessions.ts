import { sessionIdOf } from "../../graph/read-head.ts"
import { sessionMode } from "../../schemas/session.ts"
import { cutAt, madeOf, objectFrom, piecesOf, stampFrom, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { sessionRecord } from "../make-record.ts"
import type { Known } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** `sessions/manifest.json`: every row is a session, or several where it names several of the host's. */
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
  const own = isNewest && known.session !== null ? [known.session.id] : [`session-${stamp ?? made.stamp}`]
  const hosts = hostIds(row).length > 0 ? hostIds(row) : own
  const intent = textFrom(row["trajectory"])
  const summary = textFrom(row["summary"])
  const take = hosts.map((host) => {
    const host_id = cutAt(host, 200)
    return {
      kind: "session" as const,
      record: sessionRecord({
        ...{ id: sessionIdOf(host_id), host_id, ...made },
        mode: modeFrom(row["mode"]),
        intent: intent === undefined ? null : piecesOf(intent)[0],
        summary: summary === undefined ? null : piecesOf(summary)[0],
      }),
    }
  })
  const isRenamed = stamp !== undefined && stampFrom(stamp) === undefined
  return {
    from,
    take,
    ...(isRenamed ? { note: "a stamp that is none was replaced by that of its time" } : {}),
  }
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
