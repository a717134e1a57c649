import { anchorKey } from "../../schemas/knowledge.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { maskAll } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { cutAt, madeOf, objectFrom, piecesOf, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { anchorRecord, memRecord } from "../make-record.ts"
import { type Known, olderId } from "./known.ts"
import { pastMem } from "./mems.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** `anchors.json` of every layout. */
export async function* readAnchors(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.index !== null) yield anchorFound(from, item.value, file.at, known)
    else if (item.key === "anchors" && objectFrom(item.value) !== undefined)
      for (const [key, value] of Object.entries(objectFrom(item.value) ?? {}))
        yield anchorFound(`${from}.${key}`, { key, ...(objectFrom(value) ?? { value }) }, file.at, known)
    else if (item.key === "anchors") yield { from, quarantine: "not a list of anchors", original: item.value }
    else if (item.key !== "version") yield { from, ignore: "not a part of a list of anchors" }
  }
}

/**
 * An anchor of any layout; those of iDumb have no key. A key has one anchor, that of the newest layout: another value of
 * an older one is kept as a mem.
 */
export function anchorFound(from: string, value: unknown, at: string, known: Known): Found {
  const anchor = objectFrom(value) ?? { content: value }
  const words = textOfValue(anchor["value"]) ?? textOfValue(anchor["content"])
  if (words === undefined) return { from, quarantine: "an anchor without words", original: value }
  const made = madeOf(
    {
      created: anchor["created_at"] ?? anchor["createdAt"] ?? anchor["created"],
      updated: anchor["updated_at"] ?? anchor["modifiedAt"],
    },
    at,
  )
  const given = textFrom(anchor["key"])
  const key = given === undefined ? shorten(words, 60) : cutAt(given, MAX_KEY).trim()
  const text = given !== undefined && given.length > MAX_KEY ? `${given}: ${words}` : words
  const [first] = piecesOf(text)
  const session = textFrom(anchor["session_id"])
  const id = olderId("anchor", anchorKey(key))
  const before = known.anchors.get(anchorKey(key))
  if (before !== undefined && before !== first) {
    const content = `Earlier value of the anchor "${key}": ${cutAt(first, MAX_VALUE)}`
    const mem = pastMem({
      id: olderId("anchor value", key, first),
      content,
      shelf: "anchors",
      kind: "fact",
      ...made,
    })
    return {
      from,
      take: [{ kind: "mem", record: { ...mem, status: "superseded" } }],
      note: "an anchor has another value in a newer file; the older value is kept as a mem",
    }
  }
  // An earlier migration has made it, or a person since.
  const there = known.inGraph.anchor(id, key)
  if (there !== undefined && there.value !== maskAll(first)) {
    const content = `Value of the anchor "${key}" in a file of an older tool: ${cutAt(first, MAX_VALUE)}`
    const place = { id: olderId("anchor value", key, first), shelf: "anchors", kind: "fact" as const }
    return {
      from,
      take: [{ kind: "mem", record: memRecord({ ...place, content, ...made }) }],
      note: "an anchor has another value in the graph, which stays; that of the file is kept as a mem",
    }
  }
  known.anchors.set(anchorKey(key), first)
  const record = anchorRecord({
    ...{ id: there?.id ?? id, key, value: first, ...made },
    priority: PRIORITIES[textFrom(anchor["priority"])?.toLowerCase() ?? ""] ?? "medium",
    type: TYPES.find((type) => type === textFrom(anchor["type"])) ?? "context",
    session_id: session === undefined ? null : cutAt(session, 200),
  })
  return { from, take: [{ kind: "anchor", record }] }
}

function textOfValue(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null) return JSON.stringify(value)
  return textFrom(value)
}

const PRIORITIES: Readonly<Record<string, NewRecordOf<"anchor">["priority"]>> = {
  critical: "critical",
  high: "high",
  medium: "medium",
  normal: "medium",
  low: "low",
}
const TYPES = ["task", "decision", "file", "agent", "phase", "context"] as const
const MAX_KEY = 120
const MAX_VALUE = 90_000
