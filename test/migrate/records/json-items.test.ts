import { writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { type JsonItem, jsonItems } from "../../../src/migrate/records/json-items.ts"
import { tempProject } from "../../support/temp-project.ts"

it("yields the fields of an object, and the elements of its lists one by one", async () => {
  const items = await itemsOf(
    '\ufeff{"version":"1.0.0", "mems":[{"id":"a","n":[1,{"x":"]}"}]}, 2],"empty":[],"o":{"l":[1]}}',
  )
  expect(items).toEqual([
    { key: "version", index: null, value: "1.0.0" },
    { key: "mems", index: 0, value: { id: "a", n: [1, { x: "]}" }] } },
    { key: "mems", index: 1, value: 2 },
    { key: "o", index: null, value: { l: [1] } },
  ])
})

it("gives the same values as JSON.parse, for any layout of the file", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }),
      fc.nat(3),
      async (value, indent) => {
        const items = await itemsOf(JSON.stringify(value, null, indent))
        const plain = JSON.parse(JSON.stringify(value)) as Record<string, unknown>
        const expected = Object.entries(plain).flatMap(([key, each]): JsonItem[] =>
          Array.isArray(each)
            ? each.map((element, index) => ({ key, index, value: element as unknown }))
            : [{ key, index: null, value: each }],
        )
        expect(items).toEqual(expected)
      },
    ),
    { numRuns: 60, seed: 1 },
  )
})

it("loses only the broken value", async () => {
  const items = await itemsOf('{"mems":[{"id":1},{"id":nope},{"id":3}]}')
  expect(items.map((item) => ("fault" in item ? "fault" : item.value))).toEqual([
    { id: 1 },
    "fault",
    { id: 3 },
  ])
})

it("keeps the values before a cut, and reports the rest", async () => {
  const items = await itemsOf('{"version":"1.0.0","mems":[{"id":"a"},{"id":"b"},{"id":"c","conte')
  expect(items.map((item) => ("fault" in item ? item.text : item.value))).toEqual([
    "1.0.0",
    { id: "a" },
    { id: "b" },
    '{"id":"c","conte',
  ])
})

it("reports one fault for a missing file, or one without JSON", async () => {
  const missing = await all(jsonItems(join(await tempProject(), "none.json")))
  expect(missing).toMatchObject([{ fault: "cannot be read (ENOENT)" }])
  expect(await itemsOf("{broken")).toMatchObject([{ fault: expect.any(String) }])
  expect(await itemsOf("")).toEqual([])
})

async function itemsOf(text: string): Promise<JsonItem[]> {
  const path = join(await tempProject(), "file.json")
  writeFileSync(path, text)
  return all(jsonItems(path))
}

async function all(items: AsyncIterable<JsonItem>): Promise<JsonItem[]> {
  const found: JsonItem[] = []
  for await (const item of items) found.push(item)
  return found
}
