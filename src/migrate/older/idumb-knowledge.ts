import type { NewRecordOf } from "../../schemas/records.ts"
import { cutAt, listFrom, madeOf, objectFrom, piecesOf, tagsFrom, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { findTask, type Known, olderId } from "./known.ts"
import { memFound } from "./mems.ts"

/** An entry of what iDumb knew, under whatever name it has its words. */
export function entryFound(from: string, value: unknown, at: string, known: Known): Found {
  const entry = objectFrom(value)
  const content = entry === undefined ? textFrom(value) : wordsOf(entry)
  if (content === undefined) return { from, quarantine: "an entry without words", original: value }
  const type = textFrom(entry?.["type"]) ?? textFrom(entry?.["category"])
  const mem = {
    content,
    shelf: textFrom(entry?.["shelf"]) ?? type ?? "knowledge",
    type,
    tags: tagsFrom(entry?.["tags"]),
    session_id: entry?.["sessionId"],
    origin_task_id: entry?.["taskId"] ?? entry?.["taskNodeId"],
    created_at: entry?.["createdAt"] ?? entry?.["timestamp"] ?? entry?.["created_at"],
    updated_at: entry?.["modifiedAt"] ?? entry?.["updatedAt"],
    relevance_score: entry?.["confidence"],
  }
  return memFound(from, mem, at, known)
}

function wordsOf(entry: Record<string, unknown>): string | undefined {
  const title = textFrom(entry["title"]) ?? textFrom(entry["name"])
  const body = ["content", "text", "summary", "description", "value"].flatMap(
    (name) => textFrom(entry[name]) ?? [],
  )[0]
  if (title !== undefined && body !== undefined) return `${title}: ${body}`
  return body ?? title
}

/** A delegation belongs to a task. */
export function delegationFound(from: string, value: unknown, at: string, known: Known): Found {
  const given = objectFrom(value)
  const first = (...names: string[]) => names.flatMap((name) => textFrom(given?.[name]) ?? [])[0]
  const task = findTask(known, first("taskNodeId", "taskId", "task_id"))
  if (given === undefined || task === undefined)
    return { from, quarantine: "a delegation whose task is not there", original: value }
  const made = madeOf(
    {
      created: given["createdAt"] ?? given["timestamp"],
      updated: given["modifiedAt"] ?? given["completedAt"],
    },
    at,
  )
  const result = first("result", "outcome", "summary")
  const reason = first("reason", "error")
  const tools = listFrom(given["allowedTools"], 500)
  const record: NewRecordOf<"delegation"> = {
    id: olderId("delegation", first("id") ?? JSON.stringify(value)),
    task_id: task.id,
    from_agent: cutAt(first("from", "fromAgent", "delegatedBy") ?? "unknown", 500),
    to_agent: cutAt(first("to", "toAgent", "assignedTo") ?? "unknown", 500),
    session_id: null,
    child_session_id: null,
    allowed_tools: tools.length > 0 ? tools : null,
    depth: 1,
    status: STATES[first("status")?.toLowerCase() ?? ""] ?? "recalled",
    result: result === undefined ? null : piecesOf(result)[0],
    reason: reason === undefined ? "Taken over; whoever worked on it is gone." : piecesOf(reason)[0],
    ...made,
  }
  return { from, take: [{ kind: "delegation", record }] }
}

// None is under way any more: the sessions of then are gone.
const STATES: Readonly<Record<string, NewRecordOf<"delegation">["status"]>> = {
  completed: "returned",
  complete: "returned",
  done: "returned",
  returned: "returned",
  failed: "failed",
  rejected: "failed",
  expired: "failed",
}
