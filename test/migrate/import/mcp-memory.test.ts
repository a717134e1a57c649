import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { expect, it } from "vitest"
import { importFrom } from "../../../src/migrate/import/import.ts"
import { fileHive } from "../../support/file-hive.ts"
import { memsOf } from "./imported.ts"

interface Entity {
  type: "entity"
  name: string
  entityType: string
  observations: string[]
}
interface Relation {
  type: "relation"
  from: string
  to: string
  relationType: string
}

function graphIn(path: string): { entities: Entity[]; relations: Relation[] } {
  const all: (Entity | Relation)[] = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
  return {
    entities: all.filter((each) => each.type === "entity"),
    relations: all.filter((each) => each.type === "relation"),
  }
}

function wordsOf({ entities, relations }: ReturnType<typeof graphIn>): string[] {
  return [
    ...entities.flatMap(({ name, entityType, observations }) =>
      observations.length === 0
        ? [`${name} (${entityType})`]
        : observations.map((each) => `${name} (${entityType}): ${each}`),
    ),
    ...relations.map(({ from, relationType, to }) => `${from} ${relationType} ${to}`),
  ].sort()
}

it("imports the file that the real server writes", async () => {
  const hive = await fileHive()
  const path = join(hive.dir, "memory.jsonl")
  const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/dist/index.js")
  const client = new Client({ name: "test", version: "1.0.0" })
  const env = { PATH: process.env["PATH"] ?? "", MEMORY_FILE_PATH: path }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "ignore" }),
  )
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
  const entity = (name: string, observations: string[]) => ({ name, entityType: "ship", observations })
  await call("create_entities", {
    entities: [entity("Gull", ["Carries 80", "Line\nbreak"]), entity("Tern", [])],
  })
  await call("create_relations", { relations: [{ from: "Gull", to: "Tern", relationType: "tows" }] })
  await call("add_observations", { observations: [{ entityName: "Tern", contents: ["Is being painted"] }] })
  await client.close()
  expect(existsSync(path)).toBe(true)
  const report = await importFrom(hive, "mcp-memory", path)
  expect(report.sources).toMatchObject({ total: 3, taken: 3 })
  expect(
    memsOf(hive)
      .map(({ content }) => content)
      .sort(),
  ).toEqual(wordsOf(graphIn(path)))
})

it("imports later observations of a known entity, and the rest of a broken file", async () => {
  const hive = await fileHive()
  const path = join(hive.dir, "memory.jsonl")
  const write = (...all: unknown[]) =>
    writeFileSync(
      path,
      all.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("\n"),
    )
  write({ type: "entity", name: "Gull", entityType: "ship", observations: ["Carries 80"] })
  await importFrom(hive, "mcp-memory", path)
  write(
    { type: "relation", from: "Gull", to: "nobody", relationType: "tows" },
    {
      type: "entity",
      name: "Gull",
      entityType: "ship",
      observations: ["Carries 80", "Is white", "Is white", 3, { a: 1 }],
    },
    '{"type":"entity","na',
    { type: "entity", entityType: "ship" },
    { type: "relation", from: "Gull" },
    { type: "tag" },
    "7",
  )
  const report = await importFrom(hive, "mcp-memory", path)
  expect(report.sources).toEqual({ total: 7, taken: 2, already: 0, quarantined: 5, ignored: 0 })
  expect(memsOf(hive).map(({ content }) => content)).toEqual([
    "Gull (ship): Carries 80",
    "Gull (ship): Is white",
    "Gull (ship): 3",
    'Gull (ship): {"a":1}',
    "Gull tows nobody",
  ])
  expect(report.notes.map(({ note }) => note)).toEqual([
    "an end of a relation is no entity of the file: in words only",
  ])
})
