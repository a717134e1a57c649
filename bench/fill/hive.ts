import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { memRecord, sampleMem } from "../sample-mem.ts"
import type { Shape } from "../section.ts"

/** Makes a project with that many mems, through the store, in the state that real use leaves behind. */
export async function fillProject(dir: string, mems: number, shape: Shape): Promise<void> {
  const store = openFileStore(dir, { source: systemSource, foldAfterBytes: Number.POSITIVE_INFINITY })
  const parts = shape === "settled" ? settled(mems) : beforeFold(mems)
  let next = 0
  const upTo = (end: number) => {
    const numbers = Array.from({ length: end - next }, (_, index) => next + index)
    next = end
    return numbers
  }

  // How the first of them came in can no longer be seen: their entries are in the history.
  const first = upTo(parts.inHistory)
  for (let from = 0; from < first.length; from += MEMS_PER_ENTRY) {
    await store.append(BY, (tx) => {
      for (const n of first.slice(from, from + MEMS_PER_ENTRY)) tx.add("mem", memRecord(sampleMem(n)))
    })
  }
  await store.fold()
  // The last segment that was folded stays beside the snapshots, one entry per mem.
  await appendEach(store, upTo(parts.folded))
  await store.fold()
  await appendEach(store, upTo(mems))
  await store.close()
}

// A fold on idle waits until the journal is worth a twentieth of the snapshots.
function settled(mems: number) {
  return { inHistory: Math.floor((mems * 19) / 20), folded: mems }
}

// Without idle, a fold waits until the journal is half as long as the snapshots; so did the one before it.
function beforeFold(mems: number) {
  const folded = Math.ceil((mems * 2) / 3)
  return { inHistory: Math.ceil((folded * 2) / 3), folded }
}

async function appendEach(store: Store, numbers: number[]): Promise<void> {
  await Promise.all(numbers.map((n) => store.append(BY, (tx) => tx.add("mem", memRecord(sampleMem(n))))))
}

// An entry is a line, and lines have a longest.
const MEMS_PER_ENTRY = 5000
const BY = { tool: "bench", session: null, agent: null }
