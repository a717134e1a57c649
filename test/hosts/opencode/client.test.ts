import { expect, it } from "vitest"
import { openCodeHost } from "../../../src/hosts/opencode/client.ts"
import { modelWindows, windowOf } from "../../../src/hosts/opencode/model-windows.ts"

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
  const asked: Record<string, Promise<unknown>> = {
    endSession: broken.endSession("ses_1"),
    sessionState: broken.sessionState?.("ses_1") ?? Promise.resolve(),
    parentOf: broken.parentOf("ses_1"),
    lastAnswer: broken.lastAnswer("ses_1"),
    lastAnswers: broken.lastAnswers("ses_1"),
    lastSummary: broken.lastSummary("ses_1"),
    startSession: broken.startSession({ parent: "ses_1", agent: "a", title: "t", prompt: "p" }),
  }
  for (const [name, answer] of Object.entries(asked))
    await expect(answer, name).rejects.toThrow("OpenCode refused: 500")
})

it("says whether a session is at work, rests or is gone, and only what it was told", async () => {
  const idle = async () => ({ data: {} })
  const busy = async () => ({ data: { ses_1: { type: "busy" } } })
  const stateWith = (session: Record<string, () => Promise<unknown>>) => host(session).sessionState?.("ses_1")
  expect(await stateWith({ status: busy, get: known })).toBe("busy")
  expect(await stateWith({ status: idle, get: known })).toBe("idle")
  expect(await stateWith({ status: idle, get: async () => unknown })).toBe("gone")
  await expect(stateWith({ status: idle, get: fails })).rejects.toThrow("500")
})

it("a session that is gone needs no end", async () => {
  await host({ abort: async () => unknown }).endSession("ses_1")
})

it("takes away a session again that it could not ask", async () => {
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

it("asks again for the windows of models where the host gave an error", async () => {
  const model = { providerID: "acme", modelID: "large" }
  let isBroken = true
  const providers = { data: { providers: [{ id: "acme", models: { large: { limit: { context: 1000 } } } }] } }
  const windows = modelWindows({
    config: { providers: async () => (isBroken ? refused : providers) },
  } as never)
  await expect(windows.learn(model)).rejects.toThrow("500")
  isBroken = false
  await windows.learn(model)
  expect(windows.of(model)).toBe(1000)
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
