import type { PluginInput } from "@opencode-ai/plugin"
import { expect, it } from "vitest"
import { openCodeConversations } from "../../../src/hosts/opencode/conversations.ts"

const model = { providerID: "acme", modelID: "large" }
const said = (text: string) => [{ type: "text", text }]
const user = (text: string) => ({ info: { role: "user", agent: "plan", model }, parts: said(text) })
const step = (n: number) => ({
  info: { role: "assistant", mode: "plan", ...model },
  parts: [{ type: "tool", tool: "read", state: { status: "completed", title: `file ${n}` } }],
})

const refused = { error: { message: "out of order" }, response: { status: 500 } }
const unknown = { error: { name: "NotFoundError" }, response: { status: 404 } }

/** A host with one conversation; keeps what it is given and what it is told to delete. What is in `more` answers otherwise. */
function host(messages: unknown[], more: Record<string, () => Promise<unknown>> = {}) {
  const given: { body: Record<string, unknown> }[] = []
  const deleted: string[] = []
  const session = {
    messages: async ({ query }: { query: { limit: number } }) => ({ data: messages.slice(-query.limit) }),
    prompt: async (call: { body: Record<string, unknown> }) => {
      given.push(call)
      return { data: { info: { id: "msg_1" } } }
    },
    delete: async ({ path }: { path: { id: string } }) => ({ data: deleted.push(path.id) > 0 }),
    get: async () => ({ data: { title: "work", time: { created: 1 } } }),
    create: async () => ({ data: { id: "ses_2" } }),
    list: async () => ({ data: [{ id: "ses_2", title: "work ↪", time: { created: 1000 } }] }),
    ...more,
  }
  const client = { session } as unknown as PluginInput["client"]
  return { conversations: openCodeConversations(client), given, deleted }
}

it("finds what the user said before a turn of many steps", async () => {
  const steps = Array.from({ length: 150 }, (_, n) => step(n))
  const { conversations } = host([
    user("The tax rate is 24 percent"),
    ...steps.slice(0, 3),
    user("Go"),
    ...steps,
  ])
  const spoken = await conversations.lastSpoken("ses_1")
  expect(spoken.map(({ role, text }) => `${role} ${text}`)).toEqual([
    "user The tax rate is 24 percent",
    "assistant ",
    "user Go",
    "assistant ",
  ])
})

it("goes on with the agent and the model of the session before, not with the host's defaults", async () => {
  for (const messages of [[user("Go")], [user("Go"), step(1)]]) {
    const { conversations, given } = host(messages)
    await conversations.leave("ses_2", "line", "hidden", "ses_1")
    expect(given[0]?.body).toMatchObject({ agent: "plan", model, noReply: true })
  }
})

it("deletes a session only while nobody has spoken in it", async () => {
  const used = host([user("handed over"), user("Go")])
  await used.conversations.removeUnused("ses_2")
  expect(used.deleted).toEqual([])
  const unused = host([user("handed over")])
  await unused.conversations.removeUnused("ses_2")
  expect(unused.deleted).toEqual(["ses_2"])
})

it("an error of the host is never taken for an empty answer", async () => {
  const asked = (method: string) => host([user("Go")], { [method]: async () => refused }).conversations
  await expect(asked("messages").lastSpoken("ses_1")).rejects.toThrow("out of order")
  await expect(asked("create").makeNext("ses_1")).rejects.toThrow("out of order")
  await expect(asked("list").emptyNext("ses_1", 1000)).rejects.toThrow("out of order")
  await expect(asked("delete").removeUnused("ses_2")).rejects.toThrow("out of order")
  await expect(asked("prompt").leave("ses_2", "line", "hidden", "ses_1")).rejects.toThrow("out of order")
  await expect(asked("messages").stored("ses_2", "msg_1")).rejects.toThrow("out of order")
})

it("what was deleted by somebody else is gone: nothing is left to be removed, or to be found", async () => {
  const gone = host([], { get: async () => unknown, messages: async () => unknown })
  await gone.conversations.removeUnused("ses_2")
  expect(gone.deleted).toEqual([])
  expect(await gone.conversations.emptyNext("ses_1", 1000)).toEqual([])
  expect(await host([]).conversations.emptyNext("ses_1", 1000)).toEqual(["ses_2"])
})
