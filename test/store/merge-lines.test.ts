import { expect, it } from "vitest"
import { openFileStore } from "../../src/store/file-store.ts"
import { cloneSource, sharedEntries, sharedGraph } from "../support/clones.ts"
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
