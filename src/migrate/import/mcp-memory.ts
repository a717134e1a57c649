import { derivedId, type Source } from "../../shared/ids.ts"
import { cutAt, madeOf, tagsFrom, textFrom, textIn } from "../records/fields.ts"
import { type Made, memRecords } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"
import { type JsonLine, jsonLines } from "./json-lines.ts"

/**
 * The file of the MCP memory server: a line for each entity and each relation. Every observation becomes a mem with the
 * entity's name and type as tags, and every relation a mem that is linked to both ends. Their time is that of the import.
 */
export async function* readMcpMemory(path: string, source: Source): AsyncGenerator<SourceRecord> {
  const made = madeOf({ created: source.now() }, new Date(source.now()).toISOString())
  const entities = new Map<string, string>()
  const relations: JsonLine[] = []
  for await (const line of jsonLines(path)) {
    if ("unusable" in line) yield line.unusable
    // Its ends are known when all entities are.
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
  const observations = [fields["observations"] ?? []].flat()
  const texts = [...new Set(observations.flatMap((each) => observationText(each) ?? []))]
  const records =
    texts.length === 0
      ? factRecords(subject, ["entity", name], [name, type], made)
      : texts.flatMap((text) =>
          factRecords(`${subject}: ${text}`, ["observation", name, text], [name, type], made),
        )
  const [first] = records
  if (first !== undefined && !entities.has(name)) entities.set(name, first.record.id)
  return { from: `${from} (${cutAt(name, 80)})`, records }
}

function observationText(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : textFrom(value)
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
    note: isWhole ? undefined : "an end of a relation is no entity of the file: in words only",
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
