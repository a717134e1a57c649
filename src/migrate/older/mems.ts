import { memKind } from "../../schemas/knowledge.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import { cutAt, madeOf, objectFrom, piecesOf, tagsFrom, textFrom, timeOf } from "../fields.ts"
import type { Found } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { memRecord } from "../make-record.ts"
import { findTask, type Known, olderId } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** `mems.json` of every layout. It may be large: one mem at a time. */
export async function* readMems(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key, item.index)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.index !== null) yield memFound(from, item.value, file.at, known)
    else if (item.key === "mems" && objectFrom(item.value) !== undefined)
      for (const [key, value] of Object.entries(objectFrom(item.value) ?? {}))
        yield memFound(`${from}.${key}`, value, file.at, known)
    else if (item.key === "mems") yield { from, quarantine: "not a list of mems", original: item.value }
    else if (item.key !== "version") yield { from, ignore: "not a part of a list of mems" }
  }
}

/** A mem of any layout. The same words on the same shelf are the same mem, whatever id a later layout gave them. */
export function memFound(from: string, value: unknown, at: string, known: Known): Found {
  const mem = objectFrom(value)
  const content = textFrom(mem?.["content"])
  if (mem === undefined || content === undefined)
    return { from, quarantine: "a mem without words", original: value }
  const made = madeOf(
    { created: mem["created_at"], updated: mem["updated_at"], stamp: mem["stamp"] ?? mem["session_stamp"] },
    at,
  )
  const shelf = cutAt(textFrom(mem["shelf"]) ?? "context", MAX_SHELF).trim()
  const kind = kindOf(mem, shelf)
  const oldTask = textFrom(mem["origin_task_id"])
  const task = findTask(known, oldTask)
  const [first, ...more] = piecesOf(content)
  const id = olderId("mem", shelf, content)
  const { session_id: given } = mem
  const session = textFrom(Array.isArray(given) ? given[0] : given)
  const common = {
    ...{ shelf, kind, ...made },
    tags: tagsFrom(mem["tags"]),
    origin_task_id: task?.id ?? null,
    session_id: session === undefined ? null : cutAt(session, MAX_SESSION),
    ...standing(mem, made.updated_at),
    confidence: confidenceOf(mem["relevance_score"]),
    stale_at: staleAt(mem, made.created_at, kind),
  }
  const record = memRecord({ id, content: first, ...common })
  const parts = more.map((piece, n) => {
    const part = memRecord({
      ...common,
      id: olderId("mem", id, String(n)),
      content: piece,
      parent_mem_id: id,
    })
    return { kind: "mem" as const, record: part }
  })
  const note = noteOf(
    more.length,
    oldTask !== undefined && task === undefined,
    Array.isArray(given) && given.length > 1,
  )
  return { from, take: [{ kind: "mem", record }, ...parts], ...(note === undefined ? {} : { note }) }
}

/** A mem whose time is over: recall finds it, and no turn is shown it. */
export function pastMem(given: Parameters<typeof memRecord>[0]): NewRecordOf<"mem"> {
  return memRecord({ stale_at: given.created_at, ...given })
}

function kindOf(mem: Record<string, unknown>, shelf: string): NewRecordOf<"mem">["kind"] {
  const said = memKind.safeParse(textFrom(mem["type"] ?? mem["kind"])?.replaceAll("-", "_"))
  if (said.success && said.data !== "insight") return said.data
  return SHELF_KINDS[shelf.toLowerCase()] ?? "insight"
}

/** Earlier layouts let everything go stale; today what somebody saved lasts, unless they said for how long. */
function staleAt(mem: Record<string, unknown>, created: string, kind: string): string | null {
  const stamp = mem["staleness_stamp"]
  if (stamp === undefined || stamp === null || kind !== "insight") return null
  const at = timeOf(stamp, created)
  // An earlier migration stamped every mem stale at once.
  return Math.abs(Date.parse(at) - Date.parse(created)) <= AT_ONCE_MS ? null : at
}

function standing(mem: Record<string, unknown>, at: string): Pick<NewRecordOf<"mem">, "status" | "reason"> {
  const word = textFrom(mem["status"])?.toLowerCase()
  if (word === "invalidated")
    return { status: "invalidated", reason: `Taken back before ${at.slice(0, 10)}.` }
  return { status: word === "superseded" ? "superseded" : "active", reason: null }
}

function confidenceOf(score: unknown): number {
  return typeof score === "number" && score >= 0 && score <= 1 ? score : 1
}

function noteOf(more: number, isLoose: boolean, isOfSeveral: boolean): string | undefined {
  const notes = [
    ...(more > 0 ? ["a mem of more than 100,000 characters became several"] : []),
    ...(isLoose ? ["the task that a mem came from is not there; the mem is kept without it"] : []),
    ...(isOfSeveral ? ["a mem of several sessions keeps the first"] : []),
  ]
  return notes.length === 0 ? undefined : notes.join("; ")
}

const SHELF_KINDS: Readonly<Record<string, NewRecordOf<"mem">["kind"]>> = {
  decisions: "decision",
  decision: "decision",
  patterns: "pattern",
  pattern: "pattern",
  facts: "fact",
  false_paths: "false_path",
}
const MAX_SHELF = 60
const MAX_SESSION = 200
const AT_ONCE_MS = 60_000
