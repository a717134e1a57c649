import type { NewRecordOf } from "../../schemas/records.ts"
import {
  listFrom,
  madeOf,
  objectFrom,
  shortTextIn,
  tagsFrom,
  textFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { jsonItems } from "../records/json-items.ts"
import type { SourceRecord } from "../records/report.ts"
import { type LegacyReader, legacyId, listReader, placeIn } from "./context.ts"
import { anchorFound, memFound, pastMem } from "./knowledge.ts"

/** `state.json` (once `hook-state.json`): version 2 has sessions and their anchors, version 1 a history and the phase. */
export const readIdumbState: LegacyReader = async function* (file, context) {
  let saved = file.at
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === "lastSaved") saved = timeOf(item.value, file.at)
    else if (item.key === "history" && item.index !== null) yield eventFound(from, item.value, file.at)
    else if (item.key === "anchors" && item.index !== null)
      yield anchorFound(from, item.value, file.at, context)
    else if (item.key === "phase" && textFrom(item.value) !== undefined)
      yield anchorFound(from, { key: "phase", value: item.value, type: "phase" }, file.at, context)
    else if (item.key === "anchors") {
      for (const [session_id, list] of Object.entries(objectFrom(item.value) ?? {}))
        for (const [n, anchor] of [list].flat().entries()) {
          const fields = objectFrom(anchor)
          const given = fields === undefined ? anchor : { session_id, ...fields }
          yield anchorFound(`${from}.${session_id}[${n}]`, given, file.at, context)
        }
    } else if (item.key === "sessions") {
      for (const [session, state] of Object.entries(objectFrom(item.value) ?? {})) {
        const place = `${from}.${session}`
        const task = context.tasks.get(textIn(objectFrom(objectFrom(state)?.["activeTask"]), "id") ?? "")
        if (task === undefined) yield { from: place, ignore: SESSION_OVER }
        else {
          const { id, plan, phase } = task
          const head = { at: saved, plan, phase, tasks: [id], intent: null }
          context.heads.push({ from: `${place} active task`, ...head })
          yield { from: place, ignore: "its active task is a candidate for the read-head" }
        }
      }
    } else if (item.key !== "version") yield { from, ignore: SESSION_OVER }
  }
}

/** An event of the history: a recall finds it, and no turn shows it. */
function eventFound(from: string, value: unknown, at: string): SourceRecord {
  const event = objectFrom(value)
  const made = madeOf({ created: event?.["timestamp"] ?? event?.["at"] ?? event?.["createdAt"] }, at)
  const names = ["action", "event", "summary", "description", "message", "result", "agent"]
  const words = names.flatMap((name) => textIn(event, name) ?? [])
  const json = event === undefined || Object.keys(event).length === 0 ? undefined : JSON.stringify(event)
  const content = words.length > 0 ? words.join(" — ") : (json ?? textFrom(value))
  if (content === undefined) return { from, quarantine: "an entry without words", original: value }
  const id = legacyId("history", made.created_at, content)
  return { from, records: pastMem({ id, content, shelf: "history", ...made }) }
}

/** `knowledge.json`: entries become mems. */
export const readKnowledge = listReader("entries", ({ from, value }, { at }, context) => {
  const entry = objectFrom(value)
  const title = textIn(entry, "title", "name")
  const body = textIn(entry, "content", "text", "summary", "description", "value") ?? textFrom(value)
  const content = title === undefined || body === undefined ? (body ?? title) : `${title}: ${body}`
  if (content === undefined) return { from, quarantine: "an entry without words", original: value }
  const type = textIn(entry, "type", "category")
  const mem = {
    content,
    type,
    shelf: textIn(entry, "shelf") ?? type ?? "knowledge",
    tags: tagsFrom(entry?.["tags"]),
    session_id: entry?.["sessionId"],
    origin_task_id: entry?.["taskId"] ?? entry?.["taskNodeId"],
    created_at: entry?.["createdAt"] ?? entry?.["timestamp"] ?? entry?.["created_at"],
    updated_at: entry?.["modifiedAt"] ?? entry?.["updatedAt"],
    relevance_score: entry?.["confidence"],
  }
  return memFound(from, mem, at, context)
})

/** `delegations.json`. None of them is under way any more: the sessions of then are gone. */
export const readDelegations = listReader("delegations", ({ from, value }, { at }, context) => {
  const given = objectFrom(value)
  const task = context.tasks.get(textIn(given, "taskNodeId", "taskId", "task_id") ?? "")
  if (given === undefined || task === undefined)
    return { from, quarantine: "a delegation whose task is not there", original: value }
  const updated = given["modifiedAt"] ?? given["completedAt"]
  const tools = listFrom(given["allowedTools"], MAX_NAME)
  const record: NewRecordOf<"delegation"> = {
    id: legacyId("delegation", textIn(given, "id") ?? JSON.stringify(value)),
    task_id: task.id,
    from_agent: shortTextIn(given, MAX_NAME, "from", "fromAgent", "delegatedBy") ?? "unknown",
    to_agent: shortTextIn(given, MAX_NAME, "to", "toAgent", "assignedTo") ?? "unknown",
    ...{ session_id: null, child_session_id: null, depth: 1 },
    allowed_tools: tools.length > 0 ? tools : null,
    status: STATUSES[textIn(given, "status")?.toLowerCase() ?? ""] ?? "recalled",
    result: shortTextIn(given, MAX_TEXT, "result", "outcome", "summary"),
    reason: shortTextIn(given, MAX_TEXT, "reason", "error") ?? "Migrated; its session is over.",
    ...madeOf({ created: given["createdAt"] ?? given["timestamp"], updated }, at),
  }
  return { from, records: [{ kind: "delegation", record }] }
})

const SESSION_OVER = "the state of a session that is over"
const STATUSES: Readonly<Record<string, NewRecordOf<"delegation">["status"]>> = {
  ...{ completed: "returned", complete: "returned", done: "returned", returned: "returned" },
  ...{ failed: "failed", rejected: "failed", expired: "failed" },
}
const MAX_NAME = 500
const MAX_TEXT = 100_000
