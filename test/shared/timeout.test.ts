import { expect, it } from "vitest"
import { withTimeout } from "../../src/shared/timeout.ts"

it("gives the value of work that is done in time", async () => {
  expect(await withTimeout(Promise.resolve("done"), 10_000)).toEqual({ timedOut: false, value: "done" })
})

it("says that work was not done in time, even where it has no value", async () => {
  const never = new Promise<void>(() => {})
  expect(await withTimeout(never, 1)).toEqual({ timedOut: true })
})

it("passes on the error of work that fails in time", async () => {
  await expect(withTimeout(Promise.reject(new Error("broken")), 10_000)).rejects.toThrow("broken")
})

it("ignores a failure after the timeout", async () => {
  let fail = (_: Error) => {}
  const work = new Promise<void>((_, reject) => {
    fail = reject
  })
  expect(await withTimeout(work, 1)).toEqual({ timedOut: true })
  fail(new Error("late"))
  // An unhandled rejection would end the test run.
  await new Promise((resolve) => setImmediate(resolve))
})
