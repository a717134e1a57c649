import { appendFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { AssistantMessage, Event, ToolStateError } from "@opencode-ai/sdk"
import { expect, it, vi } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { guarded } from "../../../src/hosts/opencode/guard.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { assignTask, bindSubagent } from "../../../src/work/delegation/assign.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { fileHive } from "../../support/file-hive.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, by } from "../../support/records.ts"
import { readerOn, rowsOf, stepsDone } from "./event-reader.ts"

const created = sessionCreated("ses_1")
const stopped = { name: "MessageAbortedError", data: { message: "Aborted" } } as const
// Far more than it takes; a busy machine may need more than the second that is the default.
const WAIT_MS = 20_000

it("an error in a hook is logged and does not reach the host", async () => {
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

it("the user is shown the same problem once", async () => {
  const broken = await brokenHive()
  const health = vi.spyOn(broken.store, "health")
  const toast = vi.fn(async () => {})
  const onEvent = readerOn({ hive: async () => broken, toast })
  for (let n = 0; n < 3; n++) onEvent(created)
  await vi.waitFor(() => expect(health).toHaveBeenCalledTimes(3), WAIT_MS)
  expect(toast).toHaveBeenCalledTimes(1)
})

it("events that a fork copies from its source are not counted again, its own events are", async () => {
  const hive = memoryHive()
  const onEvent = readerOn({ hive: async () => hive })
  onEvent(sessionCreated("ses_fork", 100))
  onEvent(toolFailed("ses_fork", 99))
  onEvent(turnStopped("ses_fork", 99))
  onEvent(turnStopped("ses_fork", 101))
  await vi.waitFor(() => expect(hive.store.read().state.metrics.get("ses_fork")).toBeDefined(), WAIT_MS)
  const { counts } = hive.store.read().state.metrics.get("ses_fork") ?? {}
  expect(counts).toEqual({ cancels: 1 })
  expect(rowsOf(hive, "ses_fork")).toMatchObject({ cancels: 1 })
})

const broken = { name: "UnknownError", data: { message: "boom" } } as const

async function cancelsAfter(...answers: Partial<AssistantMessage>[]) {
  const hive = memoryHive()
  const onEvent = readerOn({ hive: async () => hive })
  for (const [n, answer] of answers.entries()) {
    onEvent(answered({ id: `msg_${n}`, ...answer }))
  }
  await stepsDone()
  return rowsOf(hive, "ses_1").cancels
}

it.each([
  ["another stopped turn", 2, { error: stopped }],
  ["the same one, reported again", 1, { error: stopped, id: "msg_0" }],
  ["a successful turn", 0, { finish: "stop" }],
  ["a step that calls tools", 1, { finish: "tool-calls" }],
  ["an answer that is still being written", 1, { finish: "stop", time: { created: 1 } }],
  ["the summary of a compaction", 1, { finish: "stop", summary: true }],
  ["a compaction that was stopped", 1, { error: stopped, summary: true }],
  ["a turn that failed by itself", 1, { finish: "stop", error: broken }],
  ["an answer that was filtered", 1, { finish: "content-filter" }],
  ["an answer without an end", 1, {}],
])("after a stopped turn and %s, %d stopped turns count", async (_, count, answer) => {
  expect(await cancelsAfter({ error: stopped }, answer)).toBe(count)
})

it.each([
  ["msg_1", "All green. Shall I commit?", 1],
  ["msg_1", "Is it? Yes.", undefined],
  ["msg_0", "a text of the user's?", undefined],
])(
  "an answer that ends with a question is known by its last text: %s, %j",
  async (messageID, text, asked) => {
    const hive = memoryHive()
    const onEvent = readerOn({ hive: async () => hive })
    const part = { id: "prt_1", sessionID: "ses_1", messageID, type: "text", text }
    onEvent({ type: "message.part.updated", properties: { part } } as unknown as Event)
    onEvent(answered({ finish: "stop" }))
    await stepsDone()
    expect(hive.store.read().state.metrics.get("ses_1")?.registers["has_asked"]).toBe(asked)
  },
)

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

it("a call that the user rejects does not count as failed, and the user's message is kept as a correction", async () => {
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

async function brokenHive(): Promise<Hive> {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => tx.add("mem", aMem(1)))
  const { log } = hivePaths(hive.dir)
  appendFileSync(join(log, readdirSync(log).at(-1) ?? ""), "no entry\n")
  return hive
}

function sessionCreated(id: string, at = 0): Event {
  return { type: "session.created", properties: { info: { id, time: { created: at } } } } as unknown as Event
}

function toolFailed(sessionID: string, end: number): Event {
  return failure(`call_${end}`, "edit", { time: { start: 1, end } }, sessionID)
}

function failure(
  callID: string,
  tool: string,
  state: Partial<ToolStateError> = {},
  sessionID = "ses_1",
): Event {
  const failed = { status: "error", input: { filePath: "a" }, error: "no match", time: { start: 1, end: 2 } }
  const part = { type: "tool", callID, sessionID, tool, state: { ...failed, ...state } }
  return { type: "message.part.updated", properties: { part } } as unknown as Event
}

function turnStopped(sessionID: string, completed: number): Event {
  return answered({ id: `msg_${completed}`, sessionID, time: { created: 1, completed }, error: stopped })
}

function answered(info: Partial<AssistantMessage>): Event {
  const message = { id: "msg_1", sessionID: "ses_1", role: "assistant", time: { created: 1, completed: 2 } }
  return { type: "message.updated", properties: { info: { ...message, ...info } } } as unknown as Event
}
