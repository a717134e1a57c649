import { expect, it } from "vitest"
import { RecordMap } from "../../src/graph/record-map.ts"

it("a snapshot of a group is not disturbed by what comes and goes while it is read", () => {
  const map = new RecordMap<{ id: string; group: string }>([{ name: "group", keys: ({ group }) => group }])
  const ids = Array.from({ length: 2000 }, (_, n) => `${n}`)
  for (const id of ids) map.set(id, { id, group: "a" })
  const seen: string[] = []
  for (const { id } of map.by("group", "a").snapshot()) {
    seen.push(id)
    map.delete(id)
    map.set(`new ${id}`, { id: `new ${id}`, group: "a" })
  }
  expect(seen).toEqual(ids)
})
