import { basename } from "node:path"
import { derivedId, type Source } from "../../shared/ids.ts"
import { cutAt, madeOf, objectFrom, piecesOf, tagsFrom, textFrom } from "../fields.ts"
import type { Found, Taken } from "../found.ts"
import { linesOf } from "./lines.ts"
import { memTaken } from "./records.ts"

type Fields = Record<string, unknown>

/**
 * The graph of the MCP memory server: a line for each entity and each relation. Each observation of an entity becomes a
 * mem with its name and type as tags, and each relation one that leads to the mems of both its ends. They have no times:
 * theirs are those of the import.
 */
export async function* readMcpMemory(path: string, source: Source): AsyncGenerator<Found> {
  const name = basename(path)
  const made = madeOf({ created: source.now() }, new Date(source.now()).toISOString())
  const known = new Map<string, string>()
  const relations: { from: string; fields: Fields }[] = []
  for await (const { number, text, bytes } of linesOf(path)) {
    const from = `${name}:${number}`
    const fields = text === undefined ? undefined : parsed(text)
    if (text === undefined)
      yield { from, quarantine: "a line that is too long to be one record", original: { bytes } }
    else if (fields === undefined)
      yield { from, quarantine: "not valid JSON", original: cutAt(text, MAX_KEPT_CHARS) }
    // Where its ends are is only known when all entities are.
    else if (fields["type"] === "relation") relations.push({ from, fields })
    else if (fields["type"] === "entity") yield entityOf(fields, from, known, made)
    else yield { from, quarantine: "neither an entity nor a relation", original: fields }
  }
  for (const { from, fields } of relations) yield relationOf(fields, from, known, made)
}

type Made = ReturnType<typeof madeOf>

function entityOf(fields: Fields, from: string, known: Map<string, string>, made: Made): Found {
  const name = textFrom(fields["name"])
  if (name === undefined) return { from, quarantine: "an entity without a name", original: fields }
  const type = textFrom(fields["entityType"])
  const texts = [
    ...new Set([fields["observations"] ?? []].flat().flatMap((each) => observationOf(each) ?? [])),
  ]
  const what = type === undefined ? name : `${name} (${type})`
  const take =
    texts.length === 0
      ? takeFact(what, ["entity", name], [name, type], made)
      : texts.flatMap((text) => takeFact(`${what}: ${text}`, ["observation", name, text], [name, type], made))
  const [first] = take
  if (first !== undefined && !known.has(name)) known.set(name, first.record.id)
  return { from: `${from} (${cutAt(name, 80)})`, take }
}

/** The server writes texts; a file that was made otherwise may hold anything. */
function observationOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : textFrom(value)
}

function relationOf(fields: Fields, place: string, known: ReadonlyMap<string, string>, made: Made): Found {
  const [from, type, to] = ["from", "relationType", "to"].map((field) => textFrom(fields[field]))
  if (from === undefined || to === undefined || type === undefined)
    return { from: place, quarantine: "a relation without both ends and a type", original: fields }
  const ends = [...new Set([from, to])].flatMap((name) => known.get(name) ?? [])
  const take = takeFact(`${from} ${type} ${to}`, ["relation", from, type, to], [from, to], made, ends)
  const isWhole = known.has(from) && known.has(to)
  return {
    from: place,
    take,
    ...(isWhole ? {} : { note: "an end of a relation is no entity of the file: in words only" }),
  }
}

/** Long ones in parts, each of which belongs to the first. */
function takeFact(
  content: string,
  key: readonly string[],
  tags: readonly (string | undefined)[],
  made: Made,
  related_to: string[] = [],
): Taken[] {
  const pieces = piecesOf(content, MAX_CONTENT)
  const ids = pieces.map((_, index) =>
    derivedId("mcp-memory", ...key, ...(index === 0 ? [] : [String(index)])),
  )
  return pieces.map((piece, index) =>
    memTaken({
      id: ids[index] ?? "",
      shelf: SHELF,
      kind: "fact",
      content: piece,
      parent_mem_id: index === 0 ? null : (ids[0] ?? null),
      tags: tagsFrom([SHELF, ...tags]),
      related_to,
      ...made,
    }),
  )
}

function parsed(text: string): Fields | undefined {
  try {
    return objectFrom(JSON.parse(text))
  } catch {
    return undefined // The caller says where.
  }
}

const SHELF = "mcp-memory"
const MAX_CONTENT = 95_000
const MAX_KEPT_CHARS = 20_000
