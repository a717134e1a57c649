import { expect, it, vi } from "vitest"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { defined } from "../support/defined.ts"
import { changeUnlogged } from "../support/parts.ts"
import { aCheckpoint, addTask, aMem, aTask, by, countingSource, T0, uuid } from "../support/records.ts"
import { pauses, resetPauses } from "../support/slice-counts.ts"
import { tempProject } from "../support/temp-project.ts"

vi.mock("../../src/shared/slices.ts", async (original) => {
  const { countingSlices } = await import("../support/slice-counts.ts")
  return countingSlices(original)
})

const RECORDS = 6_000
// The most records that the work may process without a pause.
const MAX_PIECE = 500
const FEW = 5

it("a fold, an open, a look at the log, an undo and a view of the past pause in between, and nothing long runs in one go", async () => {
  const project = await tempProject()
  const open = () =>
    openFileStore(project, { source: countingSource(), foldAfterBytes: Number.POSITIVE_INFINITY })
  const first = open()
  const oldest = await fill(first)
  await expectSlices(() => first.fold())
  await first.close()

  const store = open()
  await expectSlices(() => store.ready())
  resetPauses()
  expect(store.read().state.mem.size).toBe(RECORDS)
  expect(pauses.inOneGo).toBeLessThan(FEW)
  await expectSlices(() => store.log({ limit: 1 }), LOG_PIECES)
  await expectSlices(() => store.asOf(T0))
  await expectSlices(() => store.undo(oldest, by), LOG_PIECES)
  await store.close()
})

it("a first write opens the graph with pauses, and so is read what others have written meanwhile", async () => {
  const project = await tempProject()
  const source = { now: () => T0, newId: () => crypto.randomUUID() }
  const open = () => openFileStore(project, { source, foldAfterBytes: Number.POSITIVE_INFINITY })
  const early = open()
  await early.ready()
  const other = open()
  await fill(other)
  await other.close()
  await expectSlices(() => early.ready(), LOG_PIECES)
  resetPauses()
  expect(early.read().state.mem.size).toBe(RECORDS)
  expect(pauses.inOneGo).toBeLessThan(FEW)
  await early.close()
  for (const write of ["append", "write"] as const) {
    const store = open()
    await expectSlices(() => store[write](by, (tx) => tx.add("mem", { ...aMem(1), id: crypto.randomUUID() })))
    await store.close()
  }
})

it("a record that is kept out makes no write walk the graph; it is back when what it needs is", async () => {
  const project = await tempProject()
  const first = openFileStore(project, { source: countingSource() })
  await first.write(by, (tx) => {
    addTask(tx)
    tx.add("checkpoint", aCheckpoint(4, 3))
  })
  await fill(first)
  await first.fold()
  await first.close()
  await changeUnlogged(project, "tasks", () => `{"tasks":[]}`)

  const store = openFileStore(project, { source: countingSource(T0 + 3_600_000) })
  const change = () => store.write(by, (tx) => tx.set("plan", uuid(1), { title: crypto.randomUUID() }))
  await change()
  expect(store.read().state.checkpoint.size).toBe(0)
  resetPauses()
  for (let n = 0; n < 3; n++) await change()
  expect(pauses.inSlices).toBeLessThan(FEW)
  await store.write(by, (tx) => tx.add("task", aTask(3, 1, 2)))
  await change()
  expect(store.read().state.checkpoint.has(uuid(4))).toBe(true)
  await store.close()
})

async function fill(store: Store): Promise<string> {
  const entries: string[] = []
  for (let n = 0; n < RECORDS; n += 100) {
    const { entry } = await store.append(by, (tx) => {
      for (let k = n; k < n + 100; k++) tx.add("mem", aMem(100_000 + k))
    })
    entries.push(entry?.id ?? "")
  }
  return defined(entries[0])
}

async function expectSlices(job: () => Promise<unknown>, atLeast = RECORDS / MAX_PIECE): Promise<void> {
  resetPauses()
  await job()
  expect(pauses.inSlices).toBeGreaterThanOrEqual(atLeast)
  expect(pauses.inOneGo).toBeLessThan(FEW)
}

// The log is read in chunks of this many records.
const LOG_PIECES = RECORDS / MAX_PIECE
