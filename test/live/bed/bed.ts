import { execFileSync } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import {
  type AssistantMessage,
  createOpencodeClient,
  type Message,
  type OpencodeClient,
  type Part,
  type Session,
  type ToolPart,
} from "@opencode-ai/sdk"
import type { GraphState } from "../../../src/graph/state.ts"
import { recordsOf } from "../../../src/graph/state.ts"
import type { Kind, RecordOf } from "../../../src/schemas/records.ts"
import { stateIn } from "../../support/state-in.ts"
import { type HostEvents, hostEvents } from "./host-events.ts"
import type { ModelRequest } from "./model-request.ts"
import { type Opencode, startOpencode } from "./opencode.ts"
import { CLI, type ScratchOptions } from "./scratch.ts"
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts"
import type { StepSource } from "./steps.ts"

/** A session, and the agent that its messages are for; the host's default agent without one. */
type SessionRef = Pick<Session, "id"> & { agent?: string }

/** A real host, a scripted model, and the few things a scenario does with them. */
export interface Bed extends AsyncDisposable {
  project: string
  model: ScriptedModel
  state: () => GraphState
  all: <K extends Kind>(kind: K) => RecordOf<K>[]
  /** The SDK's client; another one after a restart. */
  readonly client: OpencodeClient
  /** Without a title the host asks the model for one, beside the first turn. */
  newSession: (title?: string) => Promise<Session>
  fork: (session: SessionRef) => Promise<Session>
  /** The sessions that are no subagents. */
  sessions: () => Promise<string[]>
  /** Adds the steps to the model's script, sends a message and waits for the end of the turn. */
  prompt: (session: SessionRef, text: string, ...steps: StepSource[]) => Promise<Turn>
  /** Sends a message and returns at once, for turns that are to be watched, aborted or killed. */
  start: (session: SessionRef, text: string) => Promise<void>
  /** Runs a command of the host, such as `/hive`. It rejects where a hook stops the command. */
  command: (session: SessionRef, name: string, words?: string) => Promise<unknown>
  messages: (session: SessionRef) => Promise<StoredMessage[]>
  summarize: (session: SessionRef) => Promise<void>
  abort: (session: SessionRef) => Promise<void>
  events: HostEvents["seen"]
  /** The first such event since the last prompt, start, summarize, abort or restart; it may be past already. */
  waitForEvent: HostEvents["wait"]
  toast: (text: string) => Promise<string>
  restart: () => Promise<void>
  stop: () => Promise<void>
  kill: () => Promise<void>
  printed: () => string
  readHive: (path: string) => Promise<string>
  pluginLog: () => Promise<string>
  cli: (...args: string[]) => string
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
  const message = ({ id, agent }: SessionRef, text: string) => ({
    path: { id },
    body: { ...(agent !== undefined && { agent }), parts: [{ type: "text" as const, text }] },
  })

  return {
    project: host.project,
    model,
    state: () => stateIn(host.project),
    all: <K extends Kind>(kind: K) => [...recordsOf(stateIn(host.project), kind).values()] as RecordOf<K>[],
    get client() {
      return client
    },
    newSession: async (title) =>
      data(await client.session.create({ body: title === undefined ? {} : { title } })),
    fork: async ({ id }) => data(await client.session.fork({ path: { id }, body: {} })),
    sessions: async () =>
      data(await client.session.list()).flatMap(({ id, parentID }) => (parentID === undefined ? [id] : [])),
    prompt: async (session, text, ...steps) => {
      model.script(...steps)
      events.mark()
      const asked = model.requests.length
      const old = new Set((await messages(session)).map(({ info }) => info.id))
      await client.session.prompt(message(session, text))
      const added = (await messages(session)).filter(({ info }) => !old.has(info.id))
      return readTurn(session.id, added, model.requests.slice(asked))
    },
    start: async (session, text) => {
      events.mark()
      await client.session.promptAsync(message(session, text))
    },
    command: ({ id }, name, words = "") =>
      client.session.command({ path: { id }, body: { command: name, arguments: words } }),
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
    toast: async (text) =>
      JSON.stringify(await events.wait("tui.toast.show", (event) => JSON.stringify(event).includes(text))),
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
    pluginLog: () => readPluginLog(host.project),
    cli: (...args) => execFileSync(process.execPath, [CLI, ...args], { cwd: host.project, encoding: "utf8" }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

// The client throws on errors, which its types do not say.
function data<T>(result: { data?: T | undefined }): T {
  if (result.data === undefined) throw new Error("the host answered without data")
  return result.data
}

export async function readPluginLog(project: string): Promise<string> {
  const folder = join(project, ".hivemind", "system", "log")
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name), "utf8")))
  return texts.join("")
}

interface StoredMessage {
  info: Message
  parts: Part[]
}

interface CalledTool {
  tool: string
  input: Record<string, unknown>
  status: ToolPart["state"]["status"]
  output: string | undefined
  error: string | undefined
  metadata: Record<string, unknown>
}

interface Turn {
  text: string
  error: AssistantMessage["error"]
  /** Calls in this session, in order; those of subagents are in their own sessions. */
  toolCalls: CalledTool[]
  readonly replies: ReturnType<typeof JSON.parse>[]
  /** Meanwhile's requests of this session and its subagents, without those for a title. */
  requests: ModelRequest[]
  messages: StoredMessage[]
}

function readTurn(session: string, messages: StoredMessage[], asked: ModelRequest[]): Turn {
  const last = messages.findLast(({ info }) => info.role === "assistant")
  const toolCalls = messages.flatMap(({ parts }) =>
    parts.filter((part) => part.type === "tool").map(readCall),
  )
  return {
    text: (last?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join(""),
    error: last?.info.role === "assistant" ? last.info.error : undefined,
    toolCalls,
    get replies() {
      return toolCalls.map(({ output }) => (output?.startsWith("{") ? JSON.parse(output) : undefined))
    },
    requests: ofFamily(session, asked).filter(({ kind }) => kind !== "title"),
    messages,
  }
}

function readCall({ tool, state }: ToolPart): CalledTool {
  return {
    tool,
    input: state.input,
    status: state.status,
    output: state.status === "completed" ? state.output : undefined,
    error: state.status === "error" ? state.error : undefined,
    metadata: (state.status === "pending" ? undefined : state.metadata) ?? {},
  }
}

// A child asks after its parent has, so one pass in order of arrival finds grandchildren too.
function ofFamily(session: string, asked: ModelRequest[]): ModelRequest[] {
  const family = new Set([session])
  return asked.filter((request) => {
    if (request.parent !== undefined && family.has(request.parent)) family.add(request.session)
    return family.has(request.session)
  })
}
