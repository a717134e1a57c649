import type { PluginInput } from "@opencode-ai/plugin"
import { expect, it } from "vitest"
import { windowOf } from "../../../src/hosts/model-windows.ts"
import { openCodeConversations, openCodeHost } from "../../../src/hosts/opencode/client.ts"

const refused = { error: { message: "out of order" }, response: { status: 500 } }
const unknown = { error: { name: "NotFoundError" }, response: { status: 404 } }

function host(session: Record<string, () => Promise<unknown>>) {
  const given = { home: "/home", userConfig: null, options: {} }
  return openCodeHost({ client: { session }, directory: "/p" } as never, given)
}

const fails = async () => refused
const known = async () => ({ data: { id: "ses_1", parentID: "ses_0", time: { created: 1 } } })

it("an error of the host is never taken for an empty answer", async () => {
  const broken = host({ abort: fails, status: fails, get: fails, messages: fails, create: fails })
  const { conversations } = broken
  const asked: Record<string, Promise<unknown>> = {
    endSession: broken.endSession("ses_1"),
    sessionState: broken.sessionState?.("ses_1") ?? Promise.resolve(),
    parentOf: broken.parentOf("ses_1"),
    lastAnswer: broken.lastAnswer("ses_1"),
    lastAnswers: broken.lastAnswers("ses_1"),
    lastSummary: broken.lastSummary("ses_1"),
    startSession: broken.startSession({ parent: "ses_1", agent: "a", title: "t", prompt: "p" }),
    lastSpoken: conversations?.lastSpoken("ses_1") ?? Promise.resolve(),
    makeNext: conversations?.makeNext("ses_1") ?? Promise.resolve(),
    removeUnused: conversations?.removeUnused("ses_2") ?? Promise.resolve(),
    leave: conversations?.leave("ses_2", "line", "hidden", "ses_1") ?? Promise.resolve(),
  }
  for (const [name, answer] of Object.entries(asked))
    await expect(answer, name).rejects.toThrow("OpenCode refused: 500")
})

it("says whether a session is busy, idle or deleted, and rejects on an error", async () => {
  const idle = async () => ({ data: {} })
  const busy = async () => ({ data: { ses_1: { type: "busy" } } })
  const stateWith = (session: Record<string, () => Promise<unknown>>) => host(session).sessionState?.("ses_1")
  expect(await stateWith({ status: busy, get: known })).toBe("busy")
  expect(await stateWith({ status: idle, get: known })).toBe("idle")
  expect(await stateWith({ status: idle, get: async () => unknown })).toBe("gone")
  await expect(stateWith({ status: idle, get: fails })).rejects.toThrow("500")
})

it("deletes a new session if it could not send the question", async () => {
  const deleted: string[] = []
  const started = host({
    get: (async () => ({ data: { id: "ses_1" } })) as never,
    create: async () => ({ data: { id: "ses_2" } }),
    promptAsync: fails,
    delete: (async ({ path }: { path: { id: string } }) => void deleted.push(path.id)) as never,
  }).startSession({ parent: "ses_1", agent: "a", title: "t", prompt: "p" })
  await expect(started).rejects.toThrow("500")
  expect(deleted).toEqual(["ses_2"])
})

it.each([
  ["a short answer leaves the window as it is", { context: 200_000, output: 8_000 }],
  ["a long one", { context: 128_000, output: 64_000 }],
  ["a limit of the input", { context: 400_000, input: 272_000, output: 128_000 }],
  ["a window that the answer may fill", { context: 8_000, output: 8_000 }],
])("80 %% of a window comes before OpenCode compacts by itself: %s", (_, limit) => {
  const answer = Math.min(limit.output, 32_000)
  const compactsAt = "input" in limit ? limit.input - Math.min(answer, 20_000) : limit.context - answer
  if (compactsAt > 0) expect(windowOf(limit) * 0.8).toBeLessThan(compactsAt)
  expect(windowOf(limit)).toBeLessThanOrEqual(limit.context)
  expect(windowOf({ context: 200_000, output: 8_000 })).toBe(200_000)
})

const model = { providerID: "acme", modelID: "large" }
const said = (text: string) => [{ type: "text", text }]
const user = (text: string) => ({ info: { role: "user", agent: "plan", model }, parts: said(text) })
const step = (n: number) => ({
  info: { role: "assistant", mode: "plan", ...model },
  parts: [{ type: "tool", tool: "read", state: { status: "completed", title: `file ${n}` } }],
})

function conversation(messages: unknown[]) {
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
  }
  const client = { session } as unknown as PluginInput["client"]
  return { conversations: openCodeConversations(client), given, deleted }
}

it("continues with the agent and model of the previous session, not with the host's defaults", async () => {
  for (const messages of [[user("Go")], [user("Go"), step(1)]]) {
    const { conversations, given } = conversation(messages)
    await conversations.leave("ses_2", "line", "hidden", "ses_1")
    expect(given[0]?.body).toMatchObject({ agent: "plan", model, noReply: true })
  }
})

it("deletes a session only while it has no second message", async () => {
  const used = conversation([user("handed over"), user("Go")])
  await used.conversations.removeUnused("ses_2")
  expect(used.deleted).toEqual([])
  const unused = conversation([user("handed over")])
  await unused.conversations.removeUnused("ses_2")
  expect(unused.deleted).toEqual(["ses_2"])
})
