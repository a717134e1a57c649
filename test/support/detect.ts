import type { Counts } from "../../src/graph/counters.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { type Happening, type ObservedCall, observe } from "../../src/watch/observe.ts"
import { T0 } from "./records.ts"

/** A call that is over; a plain successful read unless told otherwise. */
export function aCall({
  tool = "read",
  args = {},
  agent = "build",
  ...more
}: Partial<ObservedCall> & { tool?: string; args?: object; agent?: string } = {}): Happening {
  const call = readCall({ id: "call_1", session: "ses_1", agent, tool, args })
  const { use, signature, prose, own, isReader } = call
  const observed = { use, signature, prose, own, isReader, ok: true, task: "Build login", isDeed: false }
  return { what: "call", ...observed, ...more }
}

/** The counters after all that, one thing per second. */
export function countsAfter(happenings: readonly Happening[], counts: Counts = {}, from = T0): Counts {
  let after = counts
  happenings.forEach((happening, n) => {
    after = { ...after, ...Object.fromEntries(observe(after, happening, from + n * 1000)) }
  })
  return after
}
