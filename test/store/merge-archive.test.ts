import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { GraphState } from "../../src/graph/state.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { cloneSource, sharedEntries, sharedGraph } from "../support/clones.ts"
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

async function clones(): Promise<[Store, Store, Store]> {
  const root = await tempProject()
  const open = (name: string, leaving = (_: GraphState) => [...[].values()]) => {
    mkdirSync(join(root, name))
    return openFileStore(join(root, name), { source: cloneSource(name), leaving })
  }
  return [open("anna", ({ mem }) => [...mem.values()] as never), open("bert"), open("carl")]
}

function contentIn(store: Store): string | undefined {
  return store.read().state.mem.get(uuid(1))?.content
}
