import type { Part } from "@opencode-ai/sdk"
import { expect, it } from "vitest"
import type { SeenMessage } from "../../../src/context/inject/seen-message.ts"
import { injectInto } from "../../../src/hosts/opencode/messages.ts"

const made = { sessionID: "ses_1", messageID: "msg_2" }
const finished = { status: "completed", input: {}, title: "", metadata: {}, time: { start: 5, end: 6 } }
const image = { id: "prt_file", ...made, type: "file", mime: "image/png", url: "data:" }

function tool(id: string, state: object): Part {
  return { id, ...made, type: "tool", tool: "read", callID: id, state } as unknown as Part
}

function conversation() {
  const info = {
    id: "msg_2",
    sessionID: "ses_1",
    role: "assistant",
    parentID: "msg_1",
    time: { created: 1, completed: 9 },
  }
  const parts = [
    tool("prt_old", { ...finished, output: "long output", attachments: [image] }),
    tool("prt_new", { ...finished, output: "kept" }),
    tool("prt_cleared", { ...finished, output: "cleared", time: { ...finished.time, compacted: 7 } }),
    tool("prt_failed", { status: "error", input: {}, error: "no", time: { start: 5, end: 6 } }),
  ]
  return [{ info: info as never, parts }]
}

function transformWith(
  removals: Map<string, string>,
  see: (messages: readonly SeenMessage[]) => void = () => {},
) {
  const inject = async (_session: string, messages: readonly SeenMessage[]) => {
    see(messages)
    return { parts: new Map(), removals }
  }
  return injectInto({ inject }, new Set(), () => undefined)
}

it("pruned output is a note with nothing attached; the host's own messages stay as they are", async () => {
  const messages = conversation()
  const [theirs] = messages
  const untouched = structuredClone(theirs)
  await transformWith(new Map([["prt_old", "a note"]]))(messages)
  expect(messages[0]?.parts[0]).toMatchObject({ state: { output: "a note", status: "completed" } })
  expect(JSON.stringify(messages[0]?.parts[0])).not.toContain("image/png")
  expect(messages[0]?.parts[1]).toBe(theirs?.parts[1])
  expect(theirs).toEqual(untouched)
})

it("says which model answers: that of the newest user message", async () => {
  const models: unknown[] = []
  const inject = async (_session: string, _messages: readonly SeenMessage[], model: unknown) => {
    models.push(model)
    return { parts: new Map(), removals: new Map() }
  }
  const asks = (id: string, modelID: string) => ({
    info: {
      id,
      sessionID: "ses_1",
      role: "user",
      time: { created: 1 },
      model: { providerID: "x", modelID },
    } as never,
    parts: [],
  })
  const transform = injectInto({ inject }, new Set(), (model) => model.length)
  await transform([asks("msg_1", "older"), ...conversation(), asks("msg_3", "newest")])
  await transform(conversation())
  expect(models).toEqual([{ name: "x/newest", window: 8 }, undefined])
})
