import { join } from "node:path"
import type { GraphState } from "../../../src/graph/state.ts"
import { stateIn } from "../../support/state-in.ts"
import { openBed, readPluginLog } from "./bed.ts"
import type { ModelRequest } from "./model-request.ts"
import { AUTHORIZATION, startOpencode2 } from "./opencode2.ts"
import type { ScratchOptions } from "./scratch.ts"
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts"
import { bash, call, read, type Step, type StepSource, write } from "./steps.ts"

export interface HostBed extends AsyncDisposable {
  project: string
  model: ScriptedModel
  state: () => GraphState
  newSession: (title: string, agent?: string, folder?: string) => Promise<{ id: string }>
  prompt: (session: { id: string }, text: string, ...steps: StepSource[]) => Promise<HostTurn>
  compact: (session: { id: string }) => Promise<void>
  restart: () => Promise<void>
  printed: () => string
  pluginLog: () => Promise<string>
  does: HostSteps
}

interface HostTurn {
  text: string
  error: unknown
  toolCalls: { tool: string; status: string; output: string | undefined; error: string | undefined }[]
  requests: ModelRequest[]
}

interface HostSteps {
  read: (path: string) => Step
  write: (path: string, content: string) => Step
  run: (command: string) => Step
  send: (agent: string, prompt: string) => Step
}

export const HOSTS = [1, 2] as const
export type HostVersion = (typeof HOSTS)[number]

export function openHostBed(version: HostVersion, options: ScratchOptions = {}): Promise<HostBed> {
  return version === 1 ? openBed1(options) : openBed2(options)
}

async function openBed1(options: ScratchOptions): Promise<HostBed> {
  const bed = await openBed(options)
  return {
    ...bed,
    newSession: async (title, agent) => ({
      ...(await bed.newSession(title)),
      ...(agent !== undefined && { agent }),
    }),
    compact: bed.summarize,
    does: {
      read: (path) => read(join(bed.project, path)),
      write: (path, content) => write(join(bed.project, path), content),
      run: bash,
      send: (agent, prompt) => call("task", { description: "a task", prompt, subagent_type: agent }),
    },
  }
}

async function openBed2(options: ScratchOptions): Promise<HostBed> {
  const model = await startScriptedModel()
  const host = await startOpencode2(model.url, options).catch(async (cause: unknown) => {
    await model.close()
    throw cause
  })
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${host.url()}/api/session${path}`, {
      method,
      headers: { authorization: AUTHORIZATION, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply.status === 204 ? undefined : ((await reply.json()) as { data: never })
  }
  const messagesOf = async (id: string): Promise<StoredMessage[]> =>
    (await ask("GET", `/${id}/message?order=asc&limit=200`))?.data ?? []
  const idle = (id: string) => ask("POST", `/${id}/wait`)

  return {
    project: host.project,
    model,
    state: () => stateIn(host.project),
    async newSession(title, agent, folder = host.project) {
      const location = { directory: folder }
      const made = await ask("POST", "", { location, title, ...(agent === undefined ? {} : { agent }) })
      return made?.data ?? { id: "" }
    },
    async prompt({ id }, text, ...steps) {
      model.script(...steps)
      const asked = model.requests.length
      const old = new Set((await messagesOf(id)).map((message) => message.id))
      await ask("POST", `/${id}/prompt`, { text })
      await idle(id)
      const added = (await messagesOf(id)).filter((message) => !old.has(message.id))
      return readTurn2(added, model.requests.slice(asked))
    },
    async compact({ id }) {
      await ask("POST", `/${id}/compact`, {})
      await idle(id)
    },
    restart: host.restart,
    printed: host.printed,
    pluginLog: () => readPluginLog(host.project),
    does: {
      read: (path) => call("read", { path }),
      write: (path, content) => call("write", { path, content }),
      run: (command) => call("shell", { command }),
      send: (agent, prompt) => call("subagent", { agent, description: "a task", prompt }),
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await model.close()
    },
  }
}

interface StoredMessage {
  id: string
  type: string
  error?: unknown
  content?: {
    type: string
    text?: string
    name?: string
    state?: { status: string; content?: { text?: string }[]; error?: { message: string } }
  }[]
}

function readTurn2(messages: StoredMessage[], requests: ModelRequest[]): HostTurn {
  const parts = messages.flatMap(({ content }) => content ?? [])
  const last = messages.findLast(({ type }) => type === "assistant")
  return {
    text: (last?.content ?? []).map(({ text }) => text ?? "").join(""),
    error: last?.error,
    toolCalls: parts.flatMap(({ type, name: tool = "", state }) => {
      if (type !== "tool" || state === undefined) return []
      const output = state.content?.map(({ text }) => text ?? "").join("\n")
      return [{ tool, status: state.status, output, error: state.error?.message }]
    }),
    requests: requests.filter(({ kind }) => kind !== "title"),
  }
}
