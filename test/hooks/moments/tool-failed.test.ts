import type { ToolPart, ToolStateError } from "@opencode-ai/sdk"
import { expect, it, vi } from "vitest"
import { toolFailed } from "../../../src/hooks/moments/tool-failed.ts"
import { memoryHive } from "../../support/hive.ts"

async function countsAfter(...parts: { callID: string; state?: Partial<ToolStateError> }[]) {
  const hive = memoryHive()
  const moment = toolFailed({
    hive: async () => hive,
    log: vi.fn(),
    toast: vi.fn(),
    lastWords: vi.fn(),
    lastSummary: vi.fn(),
    validate: vi.fn(),
  })
  for (const { callID, state } of parts) {
    const part = { callID, sessionID: "ses_1", tool: "edit" } as ToolPart
    const failed = {
      status: "error",
      input: { filePath: "a" },
      error: "no match",
      time: { start: 1, end: 2 },
    }
    for (const [, run] of moment(part, { ...failed, ...state } as ToolStateError)) await run()
  }
  return hive.store.read().state.metrics.get("ses_1")?.counts
}

it("a failed call counts once, and the same one made again is a repeat", async () => {
  const counts = await countsAfter({ callID: "a" }, { callID: "a" }, { callID: "b" })
  expect(counts).toMatchObject({ failures_in_row: 2, "failures of edit": 2, "calls write": 2, same_calls: 2 })
})

it("a call that was stopped together with its turn is no failure", async () => {
  expect(await countsAfter({ callID: "a", state: { metadata: { interrupted: true } } })).toBeUndefined()
  expect(await countsAfter({ callID: "a", state: { error: "Tool execution aborted" } })).toBeUndefined()
})
