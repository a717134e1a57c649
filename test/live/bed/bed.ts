import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { createOpencodeClient, type OpencodeClient, type Session } from "@opencode-ai/sdk"
import type { GraphState } from "../../../src/graph/state.ts"
import { stateIn } from "../../support/state-in.ts"
import { type HostEvents, hostEvents } from "./host-events.ts"
import { type Opencode, startOpencode } from "./opencode.ts"
import type { ScratchOptions } from "./scratch.ts"
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts"
import { readTurn, type StoredMessage, type Turn } from "./turn.ts"

interface PromptOptions {
  agent?: string
}

type SessionRef = Pick<Session, "id">

/** A real host, a scripted model, and the few things a scenario does with them. */
export interface Bed extends AsyncDisposable {
  /** Path of the scratch project. */
  project: string
  model: ScriptedModel
  /** The graph of the project as it is on the disk. */
  state: () => GraphState
  /** The SDK's client; another one after a restart. */
  readonly client: OpencodeClient
  /** Without a title the host asks the model for one, beside the first turn. */
  newSession: (title?: string) => Promise<Session>
  /** Sends a message and waits for the end of the turn. */
  prompt: (session: SessionRef, text: string, options?: PromptOptions) => Promise<Turn>
  /** Sends a message and returns at once, for turns that are to be watched, aborted or killed. */
  start: (session: SessionRef, text: string, options?: PromptOptions) => Promise<void>
  messages: (session: SessionRef) => Promise<StoredMessage[]>
  summarize: (session: SessionRef) => Promise<void>
  abort: (session: SessionRef) => Promise<void>
  events: HostEvents["seen"]
  /** The first such event since the last prompt, start, summarize, abort or restart; it may be past already. */
  waitForEvent: HostEvents["wait"]
  /** Ends the host and starts it again on the same folders; sessions and model stay. */
  restart: () => Promise<void>
  stop: () => Promise<void>
  /** `kill -9`. */
  kill: () => Promise<void>
  /** What plugins printed, which should be nothing. */
  printed: () => string
  /** Text of a file under `.hivemind/`. */
  readHive: (path: string) => Promise<string>
  /** All of the plugin's own log. */
  pluginLog: () => Promise<string>
  close: () => Promise<void>
}

/** Opens a bed; `await using bed = await openBed()` closes it whatever happens. */
export async function openBed(options: ScratchOptions = {}): Promise<Bed> {
  const model = await startScriptedModel()
  let host: Opencode | undefined
  const events = hostEvents()
  const close = async () => {
    events.stop()
    await host?.close()
    await model.close()
  }
  try {
    host = await startOpencode(model.url, options)
    const connected = await connect(host, events)
    return makeBed(host, model, events, connected, close)
  } catch (cause) {
    await close()
    throw cause
  }
}

// Following the events also makes the host load the project and its plugins: an open bed is a warm one.
async function connect(host: Opencode, events: HostEvents): Promise<OpencodeClient> {
  const client = createOpencodeClient({ baseUrl: host.url(), directory: host.project, throwOnError: true })
  await events.follow(client, host.project)
  return client
}

function makeBed(
  host: Opencode,
  model: ScriptedModel,
  events: HostEvents,
  connected: OpencodeClient,
  close: () => Promise<void>,
): Bed {
  let client = connected
  const hive = join(host.project, ".hivemind")
  const messages = async ({ id }: SessionRef) => data(await client.session.messages({ path: { id } }))
  const message = ({ id }: SessionRef, text: string, options: PromptOptions) => ({
    path: { id },
    body: { ...options, parts: [{ type: "text" as const, text }] },
  })

  return {
    project: host.project,
    model,
    state: () => stateIn(host.project),
    get client() {
      return client
    },
    newSession: async (title) =>
      data(await client.session.create({ body: title === undefined ? {} : { title } })),
    prompt: async (session, text, options = {}) => {
      events.mark()
      const asked = model.requests.length
      const old = new Set((await messages(session)).map(({ info }) => info.id))
      await client.session.prompt(message(session, text, options))
      const added = (await messages(session)).filter(({ info }) => !old.has(info.id))
      return readTurn(session.id, added, model.requests.slice(asked))
    },
    start: async (session, text, options = {}) => {
      events.mark()
      await client.session.promptAsync(message(session, text, options))
    },
    messages,
    summarize: async ({ id }) => {
      events.mark()
      await client.session.summarize({ path: { id }, body: { providerID: "scripted", modelID: "m1" } })
    },
    abort: async ({ id }) => {
      events.mark()
      await client.session.abort({ path: { id } })
    },
    events: events.seen,
    waitForEvent: events.wait,
    restart: async () => {
      events.mark()
      events.stop()
      await host.restart()
      client = await connect(host, events)
    },
    stop: async () => {
      events.stop()
      await host.stop()
    },
    kill: async () => {
      events.stop()
      await host.kill()
    },
    printed: host.printed,
    readHive: (path) => readFile(join(hive, path), "utf8"),
    pluginLog: () => readFolder(join(hive, "system", "log")),
    close,
    [Symbol.asyncDispose]: close,
  }
}

// The client throws on errors, which its types do not say.
function data<T>(result: { data?: T | undefined }): T {
  if (result.data === undefined) throw new Error("the host answered without data")
  return result.data
}

async function readFolder(path: string): Promise<string> {
  const names = await readdir(path).catch(() => [])
  const texts = await Promise.all(names.sort().map((name) => readFile(join(path, name), "utf8")))
  return texts.join("")
}
