import { writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { jsonItems } from "../../../src/migrate/records/json-items.ts"
import { tempProject } from "../../support/temp-project.ts"

it("yields the fields of an object, and the elements of its lists one by one", async () => {
  const items = await itemsOf(
    '\ufeff{"version":"1.0.0", "mems":[{"id":"a","n":[1,{"x":"]}"}]}, 2],"empty":[],"o":{"l":[1]}}',
  )
  expect(items).toEqual([
    { from: "file.json version", key: "version", index: null, value: "1.0.0" },
    { from: "file.json mems[0]", key: "mems", index: 0, value: { id: "a", n: [1, { x: "]}" }] } },
    { from: "file.json mems[1]", key: "mems", index: 1, value: 2 },
    { from: "file.json o", key: "o", index: null, value: { l: [1] } },
  ])
})

it("gives the same values as JSON.parse, for any layout of the file", async () => {
  const anyObject = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })
  const property = fc.asyncProperty(anyObject, fc.nat(3), async (value, indent) => {
    const plain = Object.entries(JSON.parse(JSON.stringify(value)) as object)
    const items = await itemsOf(JSON.stringify(value, null, indent))
    expect(items.map((item) => "value" in item && item.value)).toEqual(plain.flatMap(([, each]) => each))
  })
  await fc.assert(property, { numRuns: 60, seed: 1 })
})

it.each([
  [
    "loses only the broken value",
    '{"mems":[{"id":1},{"id":nope},{"id":3}]}',
    [{ id: 1 }, "fault", { id: 3 }],
  ],
  [
    "keeps the values before a cut, and reports the rest",
    '{"version":"1.0.0","mems":[{"id":"a"},{"id":"b"},{"id":"c","conte',
    ["1.0.0", { id: "a" }, { id: "b" }, "fault"],
  ],
  ["reports one fault for a file without JSON", "{broken", ["fault"]],
  ["finds nothing in an empty file", "", []],
])("%s", async (_, text, expected) => {
  const items = await itemsOf(text)
  expect(items.map((item) => ("quarantine" in item ? "fault" : item.value))).toEqual(expected)
})

it("reports a missing file", async () => {
  const missing = await all(join(await tempProject(), "none.json"))
  expect(missing).toMatchObject([{ quarantine: "cannot be read (ENOENT)" }])
})

async function itemsOf(text: string) {
  const path = join(await tempProject(), "file.json")
  writeFileSync(path, text)
  return all(path)
}

async function all(path: string) {
  const items = []
  for await (const item of jsonItems({ path, name: "file.json" })) items.push(item)
  return items
}
