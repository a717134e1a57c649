import type { AssistantMessage, Event } from "@opencode-ai/sdk"
import { expect, it } from "vitest"
import { memoryHive } from "../../support/hive.ts"
import { readerOn, rowsOf, stepsDone } from "./event-reader.ts"

const stopped = { name: "MessageAbortedError", data: { message: "Aborted" } } as const
const broken = { name: "UnknownError", data: { message: "boom" } } as const

/** How many turns in a row were stopped, after these answers. */
async function cancelsAfter(...answers: Partial<AssistantMessage>[]) {
  const hive = memoryHive()
  const onEvent = readerOn({ hive: async () => hive })
  for (const [n, answer] of answers.entries()) {
    const message = {
      id: `msg_${n}`,
      sessionID: "ses_1",
      role: "assistant",
      time: { created: 1, completed: 2 },
    }
    onEvent({ type: "message.updated", properties: { info: { ...message, ...answer } } } as unknown as Event)
  }
  await stepsDone()
  return rowsOf(hive, "ses_1").cancels
}

it("a stopped turn counts once, however often the host tells of it", async () => {
  expect(await cancelsAfter({ error: stopped }, { error: stopped, id: "msg_0" })).toBe(1)
  expect(await cancelsAfter({ error: stopped }, { error: stopped })).toBe(2)
})

it("a turn that ends well ends the row", async () => {
  expect(await cancelsAfter({ error: stopped }, { finish: "stop" })).toBe(0)
})

it.each([
  ["a step that calls tools", { finish: "tool-calls" }],
  ["an answer that is still being written", { finish: "stop", time: { created: 1 } }],
  ["the summary of a compaction", { finish: "stop", summary: true }],
  ["a compaction that was stopped", { error: stopped, summary: true }],
  ["a turn that failed by itself", { finish: "stop", error: broken }],
  ["an answer that was filtered", { finish: "content-filter" }],
  ["an answer without an end", {}],
])("%s says nothing about the row", async (_, answer) => {
  expect(await cancelsAfter({ error: stopped }, answer)).toBe(1)
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
    const info = {
      id: "msg_1",
      sessionID: "ses_1",
      role: "assistant",
      finish: "stop",
      time: { completed: 2 },
    }
    onEvent({ type: "message.updated", properties: { info } } as unknown as Event)
    await stepsDone()
    expect(hive.store.read().state.metrics.get("ses_1")?.registers["has_asked"]).toBe(asked)
  },
)
