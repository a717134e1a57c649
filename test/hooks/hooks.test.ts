import type { Event } from "@opencode-ai/sdk"
import { expect, it, vi } from "vitest"
import { compactingSessions } from "../../src/hooks/compacting.ts"
import { eventHook } from "../../src/hooks/event.ts"
import { guarded } from "../../src/hooks/guard.ts"
import { sessionParents } from "../../src/hooks/session-parents.ts"
import type { Hive } from "../../src/lib/hive.ts"
import { memoryHive } from "../support/hive.ts"

const parents = sessionParents(async () => null)
const host = {
  parents,
  compacting: compactingSessions(),
  lastWords: async () => "",
  lastSummary: async () => "",
  validate: async () => [],
}
const created = { type: "session.created", properties: { info: { id: "ses_1" } } } as unknown as Event

it("nothing a hook throws gets out, and the log has it", async () => {
  const log = vi.fn()
  const error = new Error("boom")
  const fails = [
    () => {
      throw error
    },
    () => Promise.reject(error),
  ]
  for (const hook of fails) await expect(guarded("test", log, hook)()).resolves.toBeUndefined()
  expect(log.mock.calls).toEqual([
    ["error", "hook test failed", error],
    ["error", "hook test failed", error],
  ])
})

it("the check at a session's start is not waited for", async () => {
  let open: (hive: Hive) => void = () => {}
  const hive = new Promise<Hive>((resolve) => {
    open = resolve
  })
  const toast = vi.fn(async () => {})
  const hook = eventHook({ hive: () => hive, log: vi.fn(), toast, ...host })
  // The hive is not open yet, and the hook is over all the same.
  expect(hook({ event: created })).toBeUndefined()
  expect(toast).not.toHaveBeenCalled()

  const broken = memoryHive()
  const problem = {
    level: "quarantined",
    file: "graph/mems.json",
    kind: null,
    id: null,
    reason: "torn",
    raw: null,
  }
  broken.store.health = () => ({ ...memoryHive().store.health(), problems: [problem as never] })
  open(broken)
  await vi.waitFor(() => expect(toast).toHaveBeenCalledWith(expect.stringContaining("graph/mems.json")))
})

it("a person is told of the same trouble once", async () => {
  const broken = memoryHive()
  const problem = {
    level: "quarantined",
    file: "graph/mems.json",
    kind: null,
    id: null,
    reason: "torn",
    raw: null,
  }
  broken.store.health = vi.fn(() => ({ ...memoryHive().store.health(), problems: [problem as never] }))
  const toast = vi.fn(async () => {})
  const hook = eventHook({ hive: async () => broken, log: vi.fn(), toast, ...host })
  for (let n = 0; n < 3; n++) hook({ event: created })
  await vi.waitFor(() => expect(broken.store.health).toHaveBeenCalledTimes(3))
  expect(toast).toHaveBeenCalledTimes(1)
})
