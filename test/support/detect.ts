import type { Counts } from "../../src/graph/counters.ts"
import { type Happening, type ObservedCall, observe } from "../../src/watch/observe.ts"
import { T0 } from "./records.ts"

/** A call that is over; a plain successful read unless told otherwise. */
export function aCall(more: Partial<ObservedCall> = {}): Happening {
  const call = {
    tool: "read",
    args: {},
    use: "read",
    agent: "build",
    ok: true,
    task: "Build login",
    isDeed: false,
  } as const
  return { what: "call", ...call, ...more }
}

/** The counters after all that, one thing per second. */
export function countsAfter(happenings: readonly Happening[], counts: Counts = {}, from = T0): Counts {
  let after = counts
  happenings.forEach((happening, n) => {
    after = { ...after, ...Object.fromEntries(observe(after, happening, from + n * 1000)) }
  })
  return after
}
