import { expect, it, vi } from "vitest"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { defined } from "../support/defined.ts"
import { aMem, by, countingSource, T0 } from "../support/records.ts"
import { pauses, resetPauses } from "../support/slice-counts.ts"
import { tempProject } from "../support/temp-project.ts"

vi.mock("../../src/shared/slices.ts", async (original) => {
  const { countingSlices } = await import("../support/slice-counts.ts")
  return countingSlices(original)
})

const RECORDS = 20_000
// However it is cut: no piece of the work may be about more records than that.
const MAX_PIECE = 500
// A look at what was just written is a pause or two.
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

it("a write is the first to open the graph: it waits with pauses too", async () => {
  const project = await tempProject()
  const first = openFileStore(project, { source: countingSource() })
  await fill(first)
  await first.close()
  for (const write of ["append", "write"] as const) {
    const store = openFileStore(project, { source: { now: () => T0, newId: () => crypto.randomUUID() } })
    await expectSlices(() => store[write](by, (tx) => tx.add("mem", { ...aMem(1), id: crypto.randomUUID() })))
    await store.close()
  }
})

it("what others have written meanwhile is read with pauses, before the next reading", async () => {
  const project = await tempProject()
  const store = openFileStore(project, { source: countingSource() })
  await store.ready()
  const other = openFileStore(project, { source: countingSource(), foldAfterBytes: Number.POSITIVE_INFINITY })
  await fill(other)
  await other.close()
  await expectSlices(() => store.ready(), LOG_PIECES)
  resetPauses()
  expect(store.read().state.mem.size).toBe(RECORDS)
  expect(pauses.inOneGo).toBeLessThan(FEW)
  await store.close()
})

/** In lines of a hundred; returns the id of the first entry. */
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

// The log is read in pieces of a fixed length.
const LOG_PIECES = 40
