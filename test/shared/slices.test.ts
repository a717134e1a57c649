import { expect, it, onTestFinished, vi } from "vitest"
import { runInSlices } from "../../src/shared/slices.ts"

it("several long works at once: only one of them gets a slice in a turn of the event loop", async () => {
  let now = performance.now()
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  let turn = 0
  let isOver = false
  setImmediate(function next() {
    turn++
    if (!isOver) setImmediate(next)
  })
  const slices: number[] = []
  const work = function* () {
    for (let n = 0; n < 8; n++) {
      slices.push(turn)
      // Advances the clock by more than one slice.
      now += 7
      yield
    }
  }
  await Promise.all([runInSlices(work()), runInSlices(work()), runInSlices(work())])
  isOver = true
  // The first piece of each generator runs at once, when it is started.
  const later = slices.slice(3)
  expect(new Set(later).size).toBe(later.length)
})
