import fc from "fast-check"
import { afterEach, expect, it } from "vitest"
import { HiveError } from "../../src/shared/error.ts"
import { longRun } from "../support/effort.ts"
import { entryPoints } from "./entry-points.ts"

const own = () =>
  JSON.stringify([Object.prototype, Array.prototype, Function.prototype].map(Object.getOwnPropertyNames))
const before = own()

// One that got through would fail every test that comes later in this process.
afterEach(() => expect(own()).toBe(before))

it.each(entryPoints)(
  "whatever comes as $name, the answer has our form, only a HiveError is thrown, and nothing is lost",
  async ({ input, failedBefore = [], short, open }) => {
    const { give, end } = await open()
    const tried = async (given: unknown) => {
      try {
        await give(given as never)
      } catch (error) {
        if (!(error instanceof HiveError) || error.code === "internal") throw error
      }
      expect(own()).toBe(before)
    }
    for (const given of failedBefore) await tried(given)
    // The same inputs in every short run; others in each long one.
    const seed = longRun ? Date.now() : 20_261_119
    await fc.assert(fc.asyncProperty(input, tried), {
      numRuns: short * (longRun ? 20 : 1),
      seed,
      endOnFailure: !longRun,
    })
    await end?.()
  },
)
