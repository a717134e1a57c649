import { expect, it } from "vitest"
import type { Pausing } from "../../src/shared/slices.ts"
import { hierarchyStatus } from "../../src/views/hierarchy/status.ts"
import { inspectScan } from "../../src/views/inspect/scan.ts"
import { memoryHive } from "../support/hive.ts"
import { aPhase, aPlan, aTask, by } from "../support/records.ts"

const TASKS = 5000
// No piece of the work may be about more tasks than that.
const MAX_PIECE = 500

it("the tree and the scan of a plan with very many tasks pause in between", async () => {
  const hive = memoryHive()
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    for (let n = 0; n < TASKS; n++) tx.add("task", aTask(100 + n, 1, 2))
  })
  const tree = run(hierarchyStatus(hive, "ses_1"))
  // Its tasks are put in order, made into nodes, placed, counted, and looked at for gaps and for what is near.
  expect(tree.pauses).toBeGreaterThanOrEqual((6 * TASKS) / MAX_PIECE)
  expect(tree.value["tree"]).toMatch(/… \d{4} more tasks, \d{4} open/)
  const scan = run(inspectScan(hive, null))
  expect(scan.pauses).toBeGreaterThanOrEqual((5 * TASKS) / MAX_PIECE)
  expect(scan.value.counts.tasks).toEqual({ planned: TASKS })
})

function run<T>(work: Pausing<T>): { value: T; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = work.next()
    if (done) return { value, pauses }
  }
}
