import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { GraphState } from "../../src/graph/state.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { cloneSource, exchange, sharedEntries, sharedGraph } from "../support/clones.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("a mem of the archive that another clone has changed stays when a third one's older work comes", async () => {
  const [anna, bert, carl] = await clones()
  await changedByBert(anna, bert, carl)
  // Older than what has changed the mem, newer than the mem.
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
  // So much later that nothing of Anna's is taken back for it.
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

/** Anna has put the mem away, Bert has changed it since, and Carl has done something else meanwhile. */
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

function contentIn(store: Store): string | undefined {
  return store.read().state.mem.get(uuid(1))?.content
}
