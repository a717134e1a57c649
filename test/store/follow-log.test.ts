import { appendFileSync, mkdirSync } from "node:fs"
import { expect, it } from "vitest"
import type { Op } from "../../src/schemas/op.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { followLog } from "../../src/store/follow-log.ts"
import { entryLine } from "../../src/store/log/line.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import { emptyView, placeChanges } from "../../src/store/view.ts"
import { aMem, aPlan, by, T0, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("three paused looks at the log, taken up in any order, pass over no line that comes meanwhile", async () => {
  for (const order of [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]) {
    const paths = hivePaths(await tempProject())
    mkdirSync(paths.log, { recursive: true })
    const view = emptyView()
    let written = 0
    const write = (count: number) => {
      const lines = Array.from({ length: count }, () => `\n${memLine(++written)}`)
      appendFileSync(segmentPath(paths.log, 1), lines.join(""))
    }
    // Longer than what is read at once: all three are paused in the middle of the first one's look.
    write(1000)
    const looks = [0, 1, 2].map(() => followLog(view, paths))
    for (const look of looks) expect(look.next().done).toBe(false)
    for (let n = 0; n < 6; n++) {
      for (const which of order) {
        write(1)
        looks[which]?.next()
      }
    }
    for (const look of looks) runToEnd(look)
    write(1)
    runToEnd(followLog(view, paths))
    expect([...view.state.mem.keys()]).toEqual(Array.from({ length: written }, (_, n) => uuid(n + 1)))
    expect(view.problems).toEqual([])
  }
})

it("a record that goes and comes back within a segment has a place in a part, also where a fold looked in between", async () => {
  const paths = hivePaths(await tempProject())
  mkdirSync(paths.log, { recursive: true })
  const view = emptyView()
  const plan = aPlan(1)
  const ops: Op[] = [
    { op: "add", kind: "plan", record: plan },
    { op: "drop", kind: "plan", id: plan.id, was: plan },
    { op: "add", kind: "plan", record: plan },
  ]
  for (const [n, op] of ops.entries()) {
    appendFileSync(segmentPath(paths.log, 1), `\n${line(n + 1, op)}`)
    runToEnd(followLog(view, paths))
    runToEnd(placeChanges(view))
    expect(view.parts.find("plan", plan.id) !== undefined).toBe(view.state.plan.has(plan.id))
  }
})

function memLine(n: number): string {
  return line(n, { op: "add", kind: "mem", record: aMem(n, { content: "Words. ".repeat((n % 50) + 1) }) })
}

function line(n: number, op: Op): string {
  const at = new Date(T0).toISOString()
  return entryLine({ id: uuid(n), at, by, writer: "a", clock: n, ops: [op] }, 1)
}
