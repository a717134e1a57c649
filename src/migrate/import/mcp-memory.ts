import { derivedId, type Source } from "../../shared/ids.ts"
import { cutAt, jsonText, type Made, madeOf, tagsFrom, textIn } from "../records/fields.ts"
import { type JsonLine, jsonLines } from "../records/json-items.ts"
import { memRecords } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"

/** Reads the MCP memory server's file: each observation becomes a mem, each relation a mem linked to both entities. */
export async function* readMcpMemory(path: string, source: Source): AsyncGenerator<SourceRecord> {
  const made = madeOf({ created: source.now() }, new Date(source.now()).toISOString())
  const entities = new Map<string, string>()
  const relations: JsonLine[] = []
  for await (const line of jsonLines(path)) {
    if ("quarantine" in line) yield line
    // Relations wait until all entities are read, because they point at entities.
    else if (line.fields["type"] === "relation") relations.push(line)
    else if (line.fields["type"] === "entity") yield entityFound(line, entities, made)
    else yield { from: line.from, quarantine: "neither an entity nor a relation", original: line.fields }
  }
  for (const line of relations) yield relationFound(line, entities, made)
}

function entityFound({ from, fields }: JsonLine, entities: Map<string, string>, made: Made): SourceRecord {
  const name = textIn(fields, "name")
  if (name === undefined) return { from, quarantine: "an entity without a name", original: fields }
  const type = textIn(fields, "entityType")
  const subject = type === undefined ? name : `${name} (${type})`
  const texts = [...new Set([fields["observations"] ?? []].flat().flatMap((each) => jsonText(each) ?? []))]
  const tags = [name, type]
  const records = texts.flatMap((text) =>
    factRecords(`${subject}: ${text}`, ["observation", name, text], tags, made),
  )
  if (texts.length === 0) records.push(...factRecords(subject, ["entity", name], tags, made))
  const [first] = records
  if (first !== undefined && !entities.has(name)) entities.set(name, first.record.id)
  return { from: `${from} (${cutAt(name, 80)})`, records }
}

function relationFound(
  { from: place, fields }: JsonLine,
  entities: ReadonlyMap<string, string>,
  made: Made,
): SourceRecord {
  const [from, type, to] = ["from", "relationType", "to"].map((field) => textIn(fields, field))
  if (from === undefined || to === undefined || type === undefined)
    return { from: place, quarantine: "a relation without both ends and a type", original: fields }
  const ends = [...new Set([from, to])].flatMap((name) => entities.get(name) ?? [])
  const isWhole = entities.has(from) && entities.has(to)
  return {
    from: place,
    records: factRecords(`${from} ${type} ${to}`, ["relation", from, type, to], [from, to], made, ends),
    note: isWhole
      ? undefined
      : "a relation names an entity that is not in the file: the relation is kept as text without a link",
  }
}

function factRecords(
  content: string,
  key: readonly string[],
  tags: readonly (string | undefined)[],
  made: Made,
  related_to: string[] = [],
): NewRecord[] {
  const id = derivedId("mcp-memory", ...key)
  const about = { shelf: "mcp-memory", kind: "fact", tags: tagsFrom(["mcp-memory", ...tags]) } as const
  return memRecords({ id, content, ...about, related_to, ...made })
}
