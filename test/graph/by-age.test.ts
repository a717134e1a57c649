import { expect, it } from "vitest"
import { byAge } from "../../src/graph/by-age.ts"
import { aTask } from "../support/records.ts"

it("records planned in one call stay in their order, regardless of the ids", () => {
  const stamps = ["301411022026", "301411022026-2", "301411022026-3", "301411022026-10"]
  const planned = stamps.map((stamp, n) => aTask(9 - n, 1, 2, { title: stamp, stamp }))
  const later = aTask(1, 1, 2, { title: "later", created_at: "2026-02-11T15:00:00.000Z" })
  expect([later, ...planned.slice().reverse()].sort(byAge).map(({ title }) => title)).toEqual([
    ...stamps,
    "later",
  ])
})
