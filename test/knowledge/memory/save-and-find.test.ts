import { expect, it } from "vitest"
import { addOnce } from "../../../src/knowledge/memory/by-rule.ts"
import { findMem } from "../../../src/knowledge/memory/find.ts"
import { fileHive } from "../../support/file-hive.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

it("a text that is kept already is not kept twice, however it is spelled; the mem that has it lasts", async () => {
  const hive = memoryHive()
  const save = (content: string, more = {}) =>
    callTool(hive, "memory", { action: "save", content, kind: "fact", ...more })
  const first = await save("Amounts are whole cents", { ttl_hours: 1 })
  const again = await save("  amounts are\nwhole cents. ")
  expect(again.entity_id).toBe(first.entity_id)
  expect(hive.store.read().state.mem.get(first.entity_id)).toMatchObject({ stale_at: null })
  const other = await save("Amounts are whole cents", { kind: "decision" })
  expect(other.entity_id).not.toBe(first.entity_id)
  expect(hive.store.read().state.mem.size).toBe(2)
})

it("a mem by rule is kept once too, within one turn and over several", async () => {
  const hive = memoryHive()
  const caller = { session: null, agent: null, tool: "extraction" }
  const mem = (n: number) => aMem(n, { content: "Release 2.1", kind: "fact", origin: "commit" })
  expect(await addOnce(hive, caller, [mem(1), mem(2)])).toHaveLength(1)
  expect(await addOnce(hive, caller, [mem(3)])).toEqual([])
})

it("an id prefix that a mem in the graph and one in the archive share is refused as ambiguous", async () => {
  const hive = await fileHive()
  const [hot, archived] = [
    "abcdef01-0000-4000-8000-00000000000a",
    "abcdef01-0000-4000-8000-00000000000b",
  ] as const
  await hive.store.append(by, (tx) => {
    tx.add("mem", aMem(1, { id: hot }))
    tx.add("mem", aMem(2, { id: archived }))
  })
  await hive.store.write(by, (tx) => tx.set("mem", archived, { status: "superseded" }))
  await hive.store.fold()
  expect(hive.store.read().state.mem.has(archived)).toBe(false)
  expect(() => findMem(hive, "abcdef01")).toThrow("ambiguous")
  expect(findMem(hive, hot)).toMatchObject({ mem: { id: hot }, isArchived: false })
  expect(findMem(hive, archived.toUpperCase())).toMatchObject({ mem: { id: archived }, isArchived: true })
  expect(() => findMem(hive, "00000000")).toThrow("There is no mem")
})
