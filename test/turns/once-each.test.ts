import { expect, it, vi } from "vitest"
import { onceEach } from "../../src/turns/once-each.ts"
import { type PassedCalls, toolGateHook } from "../../src/turns/tool-gate.ts"
import { memoryHive } from "../support/hive.ts"

it("an id is new once, however many others there have been long before", () => {
  const isNew = onceEach()
  for (let n = 0; n < 1500; n++) expect([isNew(`id ${n}`), isNew(`id ${n - 1}`)]).toEqual([true, n === 0])
})

it("calls that never ended do not make the gate forget one that is under way", async () => {
  const hive = memoryHive()
  const calls: PassedCalls = new Map()
  const place = { projectDir: "/p", directory: "/p", home: "/h" }
  const gate = toolGateHook({ hive: async () => hive, ...place, log: vi.fn() }, calls)
  for (let n = 0; n < 1100; n++) {
    await gate({ callID: `call ${n}`, tool: "read", session: "ses_1", agent: "build", args: {} })
    expect([calls.has(`call ${n}`), calls.has(`call ${n - 1}`)]).toEqual([true, n > 0])
  }
  expect(calls.size).toBeLessThanOrEqual(1000)
})
