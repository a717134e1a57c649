import { expect, it } from "vitest"
import { conflictRule } from "../../src/schemas/conflict.ts"
import { cloneSource, exchange, randomWrite, seeded, sharedEntries, sharedGraph } from "../support/clones.ts"
import { trials } from "../support/effort.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import { aPhase, aPlan, aTask, by } from "../support/records.ts"

it("four clones that write and merge in any order have the same graph once they have met", async () => {
  const rules = new Set<string>()
  for (let seed = 1; seed <= trials(100, 1000); seed++) {
    const random = seeded(seed)
    const clones = ["anna", "bert", "carl", "dora"].map((name, n) =>
      openMemoryStore(cloneSource(name, 500 + n * 700), name),
    )
    // A few records that all of them work on.
    const [anna] = clones
    await anna?.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
      for (const n of [3, 4, 5]) tx.add("task", aTask(n, 1, 2, { status: n === 3 ? "planned" : "active" }))
    })
    await exchange(clones)
    for (let step = 0; step < 80; step++) {
      const n = Math.floor(random() * clones.length)
      const clone = clones[n]
      const other = clones[Math.floor(random() * clones.length)]
      if (clone === undefined || other === undefined) throw new Error("no clone")
      if (random() < 0.8) await randomWrite(clone, random, n)
      else await clone.merge(await sharedEntries(other))
    }
    await exchange(clones)
    for (const { rule } of anna?.read().state.conflict.values() ?? []) rules.add(rule)
    const [first, ...others] = clones.map((each) => sharedGraph(each))
    for (const each of others) expect(each, `seed ${seed}`).toEqual(first)
    // Once more changes nothing.
    const entries = await Promise.all(clones.map(async (each) => (await each.log()).length))
    await exchange(clones)
    expect(await Promise.all(clones.map(async (each) => (await each.log()).length))).toEqual(entries)
    for (const each of clones) expect(sharedGraph(each)).toEqual(first)
  }
  // Every rule was needed.
  expect([...rules].sort()).toEqual([...conflictRule.options].sort())
})
