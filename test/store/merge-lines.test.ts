import { expect, it } from "vitest"
import { openFileStore } from "../../src/store/file-store.ts"
import { cloneSource, sharedEntries, sharedGraph } from "../support/clones.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("what was settled in more than one line is settled again when older work comes later", async () => {
  const [anna, bert, carl] = await Promise.all(
    ["anna", "bert", "carl"].map(async (name) =>
      openFileStore(await tempProject(), { source: cloneSource(name) }),
    ),
  )
  if (anna === undefined || bert === undefined || carl === undefined) throw new Error("no clone")
  const mems = Array.from({ length: 300 }, (_, n) => n + 1)
  await anna.write(by, (tx) => {
    for (const n of mems) tx.add("mem", aMem(n))
  })
  for (const each of [bert, carl]) await each.merge(await sharedEntries(anna))
  const rewrite = (text: string) => (tx: Parameters<Parameters<typeof anna.write>[1]>[0]) => {
    for (const n of mems) tx.set("mem", uuid(n), { content: text.repeat(2000) })
  }
  await anna.write(by, rewrite("a"))
  await bert.write(by, rewrite("b"))
  await anna.merge(await sharedEntries(bert))
  const settled = (await anna.log()).filter((entry) => entry.by.tool === "sync")
  expect(settled.length).toBeGreaterThan(1)
  // As old as the last of those lines.
  const last = settled.at(-1)?.clock ?? 0
  for (let n = 1000; ((await carl.log()).at(-1)?.clock ?? 0) < last; n++)
    await carl.write(by, (tx) => tx.add("plan", aPlan(n)))
  await anna.merge((await sharedEntries(carl)).slice(-1))
  expect(anna.read().state.conflict.size).toBe(300)
  for (const each of [bert, anna, carl])
    for (const other of [anna, bert, carl]) await each.merge(await sharedEntries(other))
  expect(sharedGraph(anna)).toEqual(sharedGraph(bert))
})

it("what came and was taken away in one merge is there for older work that comes later", async () => {
  const clones = ["anna", "bert", "carl", "dora"].map((name) => openMemoryStore(cloneSource(name), name))
  const [anna, bert, carl, dora] = clones
  if (anna === undefined || bert === undefined || carl === undefined || dora === undefined)
    throw new Error("no clone")
  await bert.write(by, (tx) => tx.add("plan", aPlan(1)))
  await anna.merge(await sharedEntries(bert))
  await anna.write(by, (tx) => tx.set("plan", uuid(1), { title: "Anna's" }))
  await bert.write(by, (tx) => tx.drop("plan", uuid(1)))
  // Carl gets the whole life of the plan at once, dora step by step; Anna's change lies in the middle of it.
  await carl.merge(await sharedEntries(bert))
  for (const entry of await sharedEntries(bert)) await dora.merge([entry])
  for (const each of [bert, carl, dora]) await each.merge(await sharedEntries(anna))
  await anna.merge(await sharedEntries(bert))
  expect(anna.read().state.conflict.size).toBe(1)
  for (const each of [bert, carl, dora]) expect(sharedGraph(each)).toEqual(sharedGraph(anna))
})
