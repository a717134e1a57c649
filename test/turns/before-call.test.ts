import { expect, it, vi } from "vitest"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { beforeCall, type PassedCalls } from "../../src/turns/before-call.ts"
import { memoryHive } from "../support/hive.ts"
import { treeAt } from "../support/tree.ts"

it("calls that never ended do not make the gate forget one that is under way", async () => {
  const hive = memoryHive()
  const calls: PassedCalls = new Map()
  const where = { place: { home: "/p", dir: "/p" }, directory: "/p", userHome: "/h" }
  const gate = beforeCall({ hive: async () => hive, ...where, log: vi.fn(), ...treeAt() }, calls)
  for (let n = 0; n < 1100; n++) {
    await gate(readCall({ id: `call ${n}`, tool: "read", session: "ses_1", agent: "build", args: {} }))
    expect([calls.has(`call ${n}`), calls.has(`call ${n - 1}`)]).toEqual([true, n > 0])
  }
  expect(calls.size).toBeLessThanOrEqual(1000)
})
