import { tryParse } from "../../schemas/checked.ts"
import { anchorKey, memKind } from "../../schemas/knowledge.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { shorten } from "../../shared/text/clean.ts"
import { parseJson } from "../../store/files/json-lines.ts"
import {
  cutAt,
  type Fields,
  jsonText,
  madeOf,
  noteOf,
  objectFrom,
  piecesOf,
  shortTextIn,
  tagsFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { readSource } from "../records/json-items.ts"
import { anchorRecord, memRecords } from "../records/new-records.ts"
import type { SourceRecord } from "../records/report.ts"
import { type Context, type LegacyReader, legacyId, listReader } from "./context.ts"

export const readMems = listReader("mems", ({ from, value }, { at }, context) =>
  memFound(from, value, at, context),
)

export const readAnchors = listReader("anchors", ({ from, value, name }, { at }, context) =>
  anchorFound(from, name === null ? value : { key: name, ...(objectFrom(value) ?? { value }) }, at, context),
)

/** Reads a mem of any layout. Mems with the same text and shelf become one, even if their old ids differ. */
export function memFound(from: string, value: unknown, at: string, context: Context): SourceRecord {
  const mem = objectFrom(value)
  const content = textIn(mem, "content")
  if (mem === undefined || content === undefined)
    return { from, quarantine: "a mem without text", original: value }
  const made = madeOf(
    { created: mem["created_at"], updated: mem["updated_at"], stamp: mem["stamp"] ?? mem["session_stamp"] },
    at,
  )
  const shelf = (shortTextIn(mem, MAX_SHELF, "shelf") ?? "context").trim()
  const kind = kindOf(mem, shelf)
  const oldTask = textIn(mem, "origin_task_id")
  const task = context.tasks.get(oldTask ?? "")
  const sessions = [mem["session_id"]].flat()
  const status = textIn(mem, "status")?.toLowerCase()
  const score = mem["relevance_score"]
  const records = memRecords({
    ...{ id: legacyId("mem", shelf, content), content, shelf, kind, ...made },
    tags: tagsFrom(mem["tags"]),
    origin_task_id: task?.id ?? null,
    session_id: shortTextIn({ id: sessions[0] }, MAX_SESSION, "id"),
    status: status === "invalidated" || status === "superseded" ? status : "active",
    reason: status === "invalidated" ? `Invalidated before ${made.updated_at.slice(0, 10)}.` : null,
    confidence: typeof score === "number" && score >= 0 && score <= 1 ? score : 1,
    stale_at: staleAt(mem, made.created_at, kind),
  })
  const isLoose = oldTask !== undefined && task === undefined
  const note = noteOf(
    records.length > 1 && "a long mem was split into several",
    isLoose && "the task that a mem came from does not exist; the mem is kept without it",
    sessions.length > 1 && "a mem had several sessions: the first is kept",
  )
  return { from, records, note }
}

function kindOf(mem: Fields, shelf: string): NewRecordOf<"mem">["kind"] {
  const said = tryParse(memKind, textIn(mem, "type", "kind")?.replaceAll("-", "_")).data
  if (said !== undefined && said !== "insight") return said
  return SHELF_KINDS[shelf.toLowerCase()] ?? "insight"
}

function staleAt(mem: Fields, created: string, kind: string): string | null {
  const stamp = mem["staleness_stamp"]
  if (stamp === undefined || stamp === null || kind !== "insight") return null
  const at = timeOf(stamp, created)
  // The tool of layout G3 once marked every mem as stale when it migrated them. Such stamps are ignored.
  return Math.abs(Date.parse(at) - Date.parse(created)) <= AT_ONCE_MS ? null : at
}

/** Reads an anchor. Newer layouts are read first, so another value of the same key is older and becomes a superseded mem. */
export function anchorFound(from: string, value: unknown, at: string, context: Context): SourceRecord {
  const anchor = objectFrom(value) ?? { content: value }
  const words = jsonText(anchor["value"]) ?? jsonText(anchor["content"])
  if (words === undefined) return { from, quarantine: "an anchor without text", original: value }
  const made = madeOf(
    {
      created: anchor["created_at"] ?? anchor["createdAt"] ?? anchor["created"],
      updated: anchor["updated_at"] ?? anchor["modifiedAt"],
    },
    at,
  )
  const given = textIn(anchor, "key")
  const key = given === undefined ? shorten(words, 60) : cutAt(given, MAX_KEY).trim()
  const [first] = piecesOf(given !== undefined && given.length > MAX_KEY ? `${given}: ${words}` : words)
  const newer = context.anchors.get(anchorKey(key))
  if (newer !== undefined && newer !== first)
    return {
      from,
      records: memRecords({
        ...{ id: legacyId("anchor value", key, first), shelf: "anchors", kind: "fact", ...made },
        ...{ content: `Earlier value of the anchor "${key}": ${first}`, status: "superseded" },
      }),
      note: "an anchor has another value in a newer file; the older value is kept as a mem",
    }
  context.anchors.set(anchorKey(key), first)
  const record = anchorRecord({
    ...{ id: legacyId("anchor", anchorKey(key)), key, value: first, ...made },
    priority: PRIORITIES.find((each) => each === textIn(anchor, "priority")?.toLowerCase()) ?? "medium",
    type: TYPES.find((type) => type === textIn(anchor, "type")) ?? "context",
    session_id: shortTextIn(anchor, MAX_SESSION, "session_id"),
  })
  return { from, records: [record] }
}

/** Makes a mem that is stale from the start: recall finds it, but it is not shown in turns. */
export function pastMem(given: Parameters<typeof memRecords>[0]): ReturnType<typeof memRecords> {
  return memRecords({ stale_at: given.created_at, ...given })
}

/** Makes a reader that turns a document, such as notes or an exported session, into a mem. The file stays where it is. */
export function documentReader(textOf: (text: string) => string, shelf = "sessions"): LegacyReader {
  return async function* (file) {
    const from = file.name
    const text = await readSource(file, MAX_DOCUMENT_BYTES)
    if (typeof text !== "string") {
      yield text
      return
    }
    const content = textOf(text).trim()
    if (content === "") {
      yield { from, ignore: "a document without text; it stays where it is" }
      return
    }
    const evidence = [from.slice(0, 500)]
    const made = madeOf({ created: file.at }, file.at)
    const id = legacyId("document", content)
    yield { from, records: pastMem({ id, content, shelf, origin: "export", evidence, ...made }) }
  }
}

export function exportText(text: string): string {
  const value = objectFrom(parseJson(text))
  if (value === undefined) return text
  const names = ["summary", "trajectory", "tactic", "action", "intent", "outcome"]
  const named = names.filter((name) => textIn(value, name) !== undefined)
  return named.map((name) => `${name}: ${textIn(value, name)}`).join("\n")
}

export function planText(text: string): string {
  const value = parseJson(text)
  if (value === undefined) return text
  const { version: _, ...plan } = objectFrom(value) ?? { value }
  const hasWords = Object.values(plan).some((each) => !EMPTY.has(JSON.stringify(each)))
  return hasWords ? `An earlier plan:\n${JSON.stringify(plan, null, 1)}` : ""
}

/** Makes a reader for a file whose content is not used: it is ignored or put in quarantine. */
export function unusedReader(
  why: { ignore: string } | { quarantine: string; original: undefined },
): LegacyReader {
  return async function* ({ name }) {
    yield { from: name, ...why }
  }
}

const SHELF_KINDS: Readonly<Record<string, NewRecordOf<"mem">["kind"]>> = {
  ...{ decisions: "decision", decision: "decision", patterns: "pattern", pattern: "pattern" },
  ...{ facts: "fact", false_paths: "false_path" },
}
const PRIORITIES = ["critical", "high", "medium", "low"] as const
const TYPES = ["task", "decision", "file", "agent", "phase", "context"] as const
const EMPTY: ReadonlySet<string> = new Set(["null", '""', "[]", "{}"])
const MAX_DOCUMENT_BYTES = 50 << 20
const MAX_KEY = 120
const MAX_SHELF = 60
const MAX_SESSION = 200
const AT_ONCE_MS = 60_000
