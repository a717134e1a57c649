import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { expect, it } from "vitest"
import { importFrom } from "../../../src/migrate/import/import.ts"
import { fileHive } from "../../support/file-hive.ts"
import { memsOf } from "./imported.ts"

it("imports the file that the real server writes", async () => {
  const hive = await fileHive()
  const path = join(hive.dir, "memory.jsonl")
  const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/dist/index.js")
  const client = new Client({ name: "test", version: "1.0.0" })
  const env = { PATH: process.env["PATH"] ?? "", MEMORY_FILE_PATH: path }
  const server = { command: process.execPath, args: [program], env }
  await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }))
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
  const entity = (name: string, observations: string[]) => ({ name, entityType: "ship", observations })
  const entities = [entity("Gull", ["Carries 80", "Line\nbreak"]), entity("Tern", [])]
  await call("create_entities", { entities })
  await call("create_relations", { relations: [{ from: "Gull", to: "Tern", relationType: "tows" }] })
  await call("add_observations", { observations: [{ entityName: "Tern", contents: ["Is being painted"] }] })
  await client.close()
  const report = await importFrom(hive, "mcp-memory", path)
  expect(report.sources).toMatchObject({ total: 3, taken: 3 })
  const contents = memsOf(hive).map(({ content }) => content)
  expect(contents.sort()).toEqual([
    "Gull (ship): Carries 80",
    "Gull (ship): Line\nbreak",
    "Gull tows Tern",
    "Tern (ship): Is being painted",
  ])
})

it("imports later observations of a known entity, and the rest of a broken file", async () => {
  const hive = await fileHive()
  const path = join(hive.dir, "memory.jsonl")
  const textOf = (each: unknown) => (typeof each === "string" ? each : JSON.stringify(each))
  const write = (...all: unknown[]) => writeFileSync(path, all.map(textOf).join("\n"))
  const gull = { type: "entity", name: "Gull", entityType: "ship", observations: ["Carries 80"] }
  write(gull)
  await importFrom(hive, "mcp-memory", path)
  write(
    { type: "relation", from: "Gull", to: "nobody", relationType: "tows" },
    { ...gull, observations: ["Carries 80", "Is white", "Is white", 3, { a: 1 }] },
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
    "a relation names an entity that is not in the file: the relation is kept as text without a link",
  ])
})
