import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { GraphState } from "../../src/graph/state.ts"
import { conflictRule } from "../../src/schemas/conflict.ts"
import type { Source } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { cloneSource, exchange, randomWrite, seeded, sharedEntries, sharedGraph } from "../support/clones.ts"
import { trials } from "../support/effort.ts"
import { openMemoryStore } from "../support/memory-store.ts"
import { addPlan, aMem, aPlan, aTask, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("a mem of the archive that another clone has changed stays when a third one's older work comes", async () => {
  const [anna, bert, carl] = await clones()
  await changedByBert(anna, bert, carl)
  // Entries older than those that changed the mem, but newer than the mem itself.
  await anna.merge((await sharedEntries(carl)).filter(({ clock }) => clock > 4))
  expect(contentIn(anna)).toBe("changed")
  for (const each of [bert, carl, anna])
    for (const other of [anna, bert, carl]) await each.merge(await sharedEntries(other))
  expect(sharedGraph(anna)).toEqual(sharedGraph(bert))
  expect(sharedGraph(carl)).toEqual(sharedGraph(bert))
  expect(anna.read().state.conflict.size).toBe(0)
})

it("undoing another clone's change of a mem of the archive takes the change back, not the mem", async () => {
  const [anna, bert, carl] = await clones()
  await changedByBert(anna, bert, carl)
  const change = (await bert.log()).at(-1)
  await anna.undo(change?.id ?? "", by)
  await bert.merge(await sharedEntries(anna))
  expect(contentIn(anna)).toBe("Mem 1")
  expect(contentIn(bert)).toBe("Mem 1")
})

it("a mem of the archive whose saving another clone has undone is gone from there, also after folds and a restart", async () => {
  const [anna, bert] = await clones()
  await anna.append(by, (tx) => tx.add("mem", aMem(1)))
  await anna.append(by, (tx) => tx.add("mem", aMem(2)))
  await bert.merge(await sharedEntries(anna))
  await anna.fold()
  expect(anna.archive.has(uuid(1))).toBe(true)
  await bert.write(by, (tx) => tx.drop("mem", uuid(1)))
  await anna.merge(await sharedEntries(bert))
  const found = async (store: Store) => ({
    has: [1, 2].map((n) => store.archive.has(uuid(n))),
    named: (await store.archive.naming("Mem")).map(({ id }) => id),
    walked: [...store.archive.walk(() => false)].flatMap((mem) => mem?.id ?? []),
    starting: store.archive.startingWith(uuid(1), 5).length,
    differences: await store.compareWithLog(),
  })
  const expected = { has: [false, true], named: [uuid(2)], walked: [uuid(2)], starting: 0, differences: [] }
  expect(await found(anna)).toEqual(expected)
  for (const n of [41, 42]) {
    await anna.write(by, (tx) => tx.add("plan", aPlan(n)))
    await anna.fold()
    expect(await found(anna)).toEqual(expected)
  }
  const reopened = openFileStore(anna.dir, { source: cloneSource("anna again") })
  expect(await found(reopened)).toEqual(expected)
})

it("a mem of the archive that was dropped comes back when the drop is undone, and is in the past as it was", async () => {
  const [anna, bert] = await clones()
  await anna.append(by, (tx) => tx.add("mem", aMem(1)))
  await bert.merge(await sharedEntries(anna))
  await anna.fold()
  const archived = Date.parse((await anna.log()).at(-1)?.at ?? "")
  await bert.write(by, (tx) => tx.drop("mem", uuid(1)))
  await anna.merge(await sharedEntries(bert))
  expect((await anna.asOf(archived - 1)).mem.get(uuid(1))?.content).toBe("Mem 1")
  const drop = (await bert.log()).at(-1)
  await anna.undo(drop?.id ?? "", by)
  expect(contentIn(anna)).toBe("Mem 1")
  await bert.merge(await sharedEntries(anna))
  expect(contentIn(bert)).toBe("Mem 1")
})

it("a mem that came back from the archive and is dropped does not appear there again", async () => {
  const [anna] = await clones()
  const { entry } = await anna.append(by, (tx) => tx.add("mem", aMem(1)))
  await anna.fold()
  const [archiving] = (await anna.log()).slice(-1)
  await anna.undo(archiving?.id ?? "", by)
  await anna.undo(entry?.id ?? "", by)
  expect(anna.archive.has(uuid(1))).toBe(false)
  expect(contentIn(anna)).toBe(undefined)
})

it("undoing what brought a mem back from the archive, and undoing that again, loses nothing", async () => {
  const [anna] = await clones()
  await anna.append(by, (tx) => tx.add("mem", aMem(1)))
  await anna.fold()
  const mem = anna.archive.get(uuid(1))
  const flagged = await anna.write(by, (tx) => {
    if (mem !== undefined) tx.add("mem", mem)
    tx.set("mem", uuid(1), { content: "changed" })
  })
  await anna.undo(flagged.entry?.id ?? "", by)
  expect(contentIn(anna)).toBe("Mem 1")
  await anna.fold()
  expect(anna.archive.get(uuid(1))?.content).toBe("Mem 1")
  const archiving = (await anna.log()).at(-1)
  const back = await anna.undo(archiving?.id ?? "", by)
  await expect(anna.undo(back.id, by)).rejects.toThrow(/nothing to undo/)
  expect(contentIn(anna)).toBe("Mem 1")
})

it("a record that only a mem of the archive links to is kept in every clone alike", async () => {
  const [anna, bert] = await clones()
  await bert.append(by, (tx) => tx.add("mem", aMem(1)))
  await anna.merge(await sharedEntries(bert))
  await anna.append(by, (tx) => tx.add("mem", aMem(2, { related_to: [uuid(1)] })))
  await anna.write(by, (tx) => tx.add("plan", aPlan(11)))
  await anna.fold()
  // Entries so much later that the merge takes back none of Anna's.
  for (const n of [31, 32, 33, 34, 35]) await bert.write(by, (tx) => tx.add("plan", aPlan(n)))
  await bert.write(by, (tx) => tx.drop("mem", uuid(1)))
  await anna.merge((await sharedEntries(bert)).slice(-1))
  expect(anna.archive.get(uuid(1))?.content).toBe("Mem 1")
  await exchange([anna, bert])
  const all = async (store: Store) => sharedGraph(store, await store.archive.naming(""))
  expect(await all(anna)).toEqual(await all(bert))
})

it("what only a mem of the archive links to cannot be undone", async () => {
  const [anna] = await clones()
  const { entry } = await anna.write(by, (tx) => tx.add("plan", aPlan(11)))
  await anna.append(by, (tx) => tx.add("mem", aMem(2, { related_to: [uuid(11)] })))
  await anna.fold()
  expect(anna.read().state.mem.size).toBe(0)
  await expect(anna.undo(entry?.id ?? "", by)).rejects.toThrow(/cannot be undone/)
})

/** Anna has archived the mem, Bert has changed it since, and Carl has written something else. */
async function changedByBert(anna: Store, bert: Store, carl: Store): Promise<void> {
  await anna.append(by, (tx) => tx.add("mem", aMem(1)))
  await anna.write(by, (tx) => tx.add("plan", aPlan(11)))
  await anna.fold()
  for (const each of [bert, carl]) await each.merge(await sharedEntries(anna))
  for (const n of [21, 22, 23, 24]) await carl.write(by, (tx) => tx.add("plan", aPlan(n)))
  for (const n of [31, 32, 33, 34, 35]) await bert.write(by, (tx) => tx.add("plan", aPlan(n)))
  await bert.write(by, (tx) => tx.set("mem", uuid(1), { content: "changed" }))
  expect(anna.read().state.mem.has(uuid(1))).toBe(false)
  await anna.merge(await sharedEntries(bert))
  expect(contentIn(anna)).toBe("changed")
}

async function clones(): Promise<[Store & { dir: string }, Store, Store]> {
  const root = await tempProject()
  const open = (name: string, leaving = (_: GraphState) => [...[].values()]) => {
    const dir = join(root, name)
    mkdirSync(dir)
    return { ...openFileStore(dir, { source: cloneSource(name), leaving }), dir }
  }
  return [open("anna", ({ mem }) => [...mem.values()] as never), open("bert"), open("carl")]
}

const contentIn = (store: Store): string | undefined => store.read().state.mem.get(uuid(1))?.content

it("what was settled in more than one line is settled again when older work comes later", async () => {
  const open = async (name: string) => openFileStore(await tempProject(), { source: cloneSource(name) })
  const [anna, bert, carl] = [await open("anna"), await open("bert"), await open("carl")]
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
  // An entry with the same clock as the last of the merge's results.
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
  const open = (name: string) => openMemoryStore(cloneSource(name), name)
  const [anna, bert, carl, dora] = [open("anna"), open("bert"), open("carl"), open("dora")]
  await bert.write(by, (tx) => tx.add("plan", aPlan(1)))
  await anna.merge(await sharedEntries(bert))
  await anna.write(by, (tx) => tx.set("plan", uuid(1), { title: "Anna's" }))
  await bert.write(by, (tx) => tx.drop("plan", uuid(1)))
  // Carl merges all entries of the plan at once, Dora one after the other. Anna's change is in the middle.
  await carl.merge(await sharedEntries(bert))
  for (const entry of await sharedEntries(bert)) await dora.merge([entry])
  for (const each of [bert, carl, dora]) await each.merge(await sharedEntries(anna))
  await anna.merge(await sharedEntries(bert))
  expect(anna.read().state.conflict.size).toBe(1)
  for (const each of [bert, carl, dora]) expect(sharedGraph(each)).toEqual(sharedGraph(anna))
})

const KINDS_OF_CLONES = [
  {
    kind: "in memory",
    // From a seed on where a hundred trials meet every rule.
    from: 101,
    folds: 0,
    orders: trials(100, 1000),
    rules: [...conflictRule.options].sort(),
    open: async (source: Source, name: string) => openMemoryStore(source, name),
  },
  {
    kind: "in files, with archives",
    // Its first order drops a mem that another clone has archived.
    from: 106,
    folds: 0.1,
    orders: trials(5, 300),
    rules: expect.arrayContaining(["dropped"]),
    open: async (source: Source) => openFileStore(await tempProject(), { source, leaving: tagged }),
  },
]

const tagged = ({ mem }: GraphState) => [...mem.values()].filter(({ tags }) => /t[12]/.test(tags.join()))
const wholeGraph = async (store: Store) => sharedGraph(store, await store.archive.naming(""))

it.each(KINDS_OF_CLONES)(
  "four clones, $kind, that write, fold and merge in any order have the same graph once they have met",
  async ({ from, folds, orders, rules, open }) => {
    const met = new Set<string>()
    for (let seed = from; seed < from + orders; seed++) {
      const random = seeded(seed)
      const opening = ["anna", "bert", "carl", "dora"].map((name, n) =>
        open(cloneSource(name, 500 + n * 700), name),
      )
      const clones = await Promise.all(opening)
      // A few records that all of them work on.
      const [anna] = clones
      await anna?.write(by, (tx) => {
        addPlan(tx)
        for (const n of [3, 4, 5]) tx.add("task", aTask(n, 1, 2, { status: n === 3 ? "planned" : "active" }))
      })
      await exchange(clones)
      for (let step = 0; step < 80; step++) {
        const n = Math.floor(random() * clones.length)
        const clone = clones[n]
        const other = clones[Math.floor(random() * clones.length)]
        if (clone === undefined || other === undefined) throw new Error("no clone")
        const dice = random()
        if (dice < 0.8 - folds) await randomWrite(clone, random, n)
        else if (dice < 0.8) await clone.fold()
        else await clone.merge(await sharedEntries(other))
      }
      await exchange(clones)
      for (const { rule } of anna?.read().state.conflict.values() ?? []) met.add(rule)
      const [first, ...others] = await Promise.all(clones.map(wholeGraph))
      for (const each of others) expect(each, `seed ${seed}`).toEqual(first)
      // Once more changes nothing.
      const entries = await Promise.all(clones.map(async (each) => (await each.log()).length))
      await exchange(clones)
      expect(await Promise.all(clones.map(async (each) => (await each.log()).length))).toEqual(entries)
      for (const each of clones) expect(await wholeGraph(each)).toEqual(first)
      for (const each of clones) await each.close()
    }
    // Every rule was needed.
    expect([...met].sort()).toEqual(rules)
  },
)
