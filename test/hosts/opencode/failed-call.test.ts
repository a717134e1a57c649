import type { Event, ToolStateError } from "@opencode-ai/sdk"
import { expect, it } from "vitest"
import { assignTask } from "../../../src/work/delegation/assign.ts"
import { bindSubagent } from "../../../src/work/delegation/run.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { memoryHive } from "../../support/hive.ts"
import { readerOn, rowsOf, stepsDone } from "./event-reader.ts"

function failure(callID: string, tool: string, state: Partial<ToolStateError> = {}): Event {
  const failed = { status: "error", input: { filePath: "a" }, error: "no match", time: { start: 1, end: 2 } }
  const part = { type: "tool", callID, sessionID: "ses_1", tool, state: { ...failed, ...state } }
  return { type: "message.part.updated", properties: { part } } as unknown as Event
}

async function countsAfter(...parts: { callID: string; state?: Partial<ToolStateError> }[]) {
  const hive = memoryHive()
  const onEvent = readerOn({ hive: async () => hive })
  for (const { callID, state } of parts) onEvent(failure(callID, "edit", state))
  await stepsDone()
  const counts = hive.store.read().state.metrics.get("ses_1")?.counts
  return counts && { ...counts, ...rowsOf(hive, "ses_1") }
}

it("a failed call counts once, and the same one made again is a repeat", async () => {
  const counts = await countsAfter({ callID: "a" }, { callID: "a" }, { callID: "b" })
  expect(counts).toMatchObject({ tool_failures: 2, "calls write": 2, same_calls: 2 })
})

it("a call that was stopped together with its turn is no failure", async () => {
  expect(await countsAfter({ callID: "a", state: { metadata: { interrupted: true } } })).toBeUndefined()
  expect(await countsAfter({ callID: "a", state: { error: "Tool execution aborted" } })).toBeUndefined()
})

it("a call that the user rejects is no failure; the words are a correction", async () => {
  const rejected = "The user rejected permission to use this specific tool call"
  const error = `${rejected} with the following feedback: put it into the other file`
  expect(await countsAfter({ callID: "a", state: { error } })).toMatchObject({
    corrections: 1,
    failed_steps: 0,
  })
  expect(await countsAfter({ callID: "a", state: { error: `${rejected}.` } })).not.toHaveProperty(
    "corrections",
  )
})

it.each(["Tool execution aborted", "Subagent failed: no answer"])(
  "a subagent's call that ends with %j ends its delegation, and its task is open again",
  async (error) => {
    const hive = memoryHive()
    const parent = { session: "ses_1", agent: "build", tool: "t" }
    const { task } = await updateSession(hive, parent, { level: "action", content: "Build it" })
    await assignTask(hive, parent, { task_id: task?.id ?? "", to: "general" })
    await bindSubagent(hive, { session: "ses_child", agent: "general", tool: "t" }, parent, "Build it")
    const onEvent = readerOn({ hive: async () => hive })
    onEvent(failure("a", "task", { error, metadata: { sessionId: "ses_child" } }))
    await stepsDone()
    const { delegation, task: tasks } = hive.store.read().state
    expect([...delegation.values()]).toMatchObject([{ status: "failed", reason: error }])
    expect([...tasks.values()]).toMatchObject([{ status: "planned", assigned_session_id: null }])
  },
)
