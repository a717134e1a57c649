import { mkdirSync, rmSync } from "node:fs"
import { expect, it } from "vitest"
import { emptyState, type GraphState } from "../../src/graph/state.ts"
import type { Entry } from "../../src/schemas/entry.ts"
import type { Mem } from "../../src/schemas/knowledge.ts"
import type { Op } from "../../src/schemas/op.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { asOf } from "../../src/store/history.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import type { LogPart } from "../../src/store/store.ts"
import { aMem, aPlan, by, countingSource, T0, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("a clock that is set back over the end of a month changes neither the order of the log nor what it replays to", async () => {
  let ids = 100
  let now = Date.UTC(2026, 1, 11)
  const source = { now: () => now, newId: () => uuid(++ids) }
  const store = openFileStore(await tempProject(), { source })
  const write = (title: string) => store.write(by, (tx) => tx.set("plan", uuid(1), { title }))
  await store.write(by, (tx) => tx.add("plan", aPlan(1)))
  const titles = ["February", "back in January", "March", "back in February"]
  for (const [n, month] of [1, 0, 2, 1].entries()) {
    now = Date.UTC(2026, month, 12 + n)
    await write(titles[n] ?? "")
    await store.fold()
  }
  const told = (await store.log()).flatMap(({ ops }) =>
    ops.flatMap((op) => (op.op === "set" && op.kind === "plan" ? [op.to.title] : [])),
  )
  expect(told).toEqual(titles)
  expect((await store.asOf(Date.UTC(2027, 0))).plan.get(uuid(1))?.title).toBe("back in February")
  expect(await store.compareWithLog()).toEqual([])
  await store.close()
})

it("a part of the log has what names a text, and segments from before its time are not even read", async () => {
  const project = await tempProject()
  const source = countingSource()
  const store = openFileStore(project, { source })
  const sessions = ["ses_1", "ses_2", "ses_1", "ses_3", "ses_3"]
  const ids: string[] = []
  for (const [n, session] of sessions.entries()) {
    source.seconds = n * 3600
    const { entry } = await store.append({ ...by, session }, (tx) => tx.add("mem", aMem(n)))
    ids.push(entry?.id ?? "")
    await store.fold()
  }
  const found = async (part: LogPart) => (await store.log(part)).map(({ id }) => id)
  expect(await found({ naming: "ses_1" })).toEqual([ids[0], ids[2]])
  expect(await found({ naming: "ses_1", limit: 1 })).toEqual([ids[2]])
  const hours = (count: number) => new Date(T0 + count * 3_600_000).toISOString()
  expect(await found({ naming: "ses_1", since: hours(1) })).toEqual([ids[2]])
  expect(await found({ since: hours(3) })).toEqual([ids[3], ids[4]])
  // Reading it would fail: so it was not read.
  rmSync(segmentPath(hivePaths(project).log, 1))
  mkdirSync(segmentPath(hivePaths(project).log, 1))
  expect(await found({ naming: "ses_3", since: hours(2.5) })).toEqual([ids[3], ids[4]])
  await expect(found({ naming: "ses_3" })).rejects.toThrow()
  await store.close()
})

it("a view of the past has nothing of what is written while it is made", () => {
  const state = emptyState()
  for (let n = 1; n <= 1200; n++) state.mem.set(uuid(n), aMem(n))
  const entries: Entry[] = []
  const work = asOf(
    state,
    () => entries.toReversed(),
    T0,
    () => undefined,
  )
  // It pauses in the middle of its copy. One change is to a mem that the copy has, one to a mem that it does not have yet.
  work.next()
  const ops: Op[] = [{ op: "add", kind: "mem", record: aMem(2000) }]
  for (const id of [uuid(1), uuid(1200)]) {
    const was = state.mem.get(id) as Mem
    ops.push({ op: "set", kind: "mem", id, to: { content: "Later" }, was: { content: was.content } })
    state.mem.set(id, { ...was, content: "Later" })
  }
  state.mem.set(uuid(2000), aMem(2000))
  entries.push({ id: uuid(3000), at: new Date(T0 + 1000).toISOString(), by, writer: "w", clock: 1, ops })
  const { mem } = runToEnd(work)
  expect(mem.size).toBe(1200)
  expect([...mem.values()].filter(({ content }) => content === "Later")).toEqual([])
})

it("an undo is refused where a mem that links to the entry's has left the hot set since", async () => {
  const isOld = (mem: Mem) => mem.content.startsWith("Old")
  const leaving = (state: GraphState) => [...state.mem.values()].filter(isOld)
  const store = openFileStore(await tempProject(), { source: countingSource(), leaving })
  await store.append(by, (tx) => tx.add("mem", aMem(9, { content: "Old 9" })))
  await store.fold()
  const { entry } = await store.append(by, (tx) => tx.add("mem", aMem(1, { content: "New 1" })))
  await store.append(by, (tx) => tx.add("mem", aMem(2, { content: "Old 2", related_to: [uuid(1)] })))
  await store.fold()
  await expect(store.undo(entry?.id ?? "", by)).rejects.toMatchObject({ code: "conflict" })
  await store.close()
})
