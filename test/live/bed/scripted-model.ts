import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { writeAnthropicStep } from "./anthropic.ts"
import { writeStep } from "./completion-stream.ts"
import { writeGeminiStep } from "./gemini.ts"
import { type ModelRequest, type RequestKind, readAddress, readRequest } from "./model-request.ts"
import { writeResponsesStep } from "./responses.ts"
import { type Step, type StepSource, say } from "./steps.ts"

/** The requests that a script answers; every field given must hold. */
interface Scope {
  agent?: string
  session?: string
  kind?: RequestKind
  match?: (request: ModelRequest) => boolean
}

export interface ScriptedModel {
  url: string
  requests: ModelRequest[]
  /** Requests of conversations: without titles, compactions and subagents. */
  turns(): ModelRequest[]
  lastTurn(): ModelRequest
  /** Answers to the host's hidden requests, which take no step of a script. */
  hidden: { title: StepSource; compaction: StepSource }
  /**
   * Adds steps, one per request. With a scope they answer only its requests, and its requests never take steps of the
   * default script. Without steps left the answer is "done", so that turns always end.
   */
  script(...steps: StepSource[]): void
  script(scope: Scope, ...steps: StepSource[]): void
  /** Answers requests that came too early for the script; they are not recorded. */
  tooEarly?: (request: ModelRequest) => Step | undefined
  /** Forgets scripts and requests, for tests that share a host. */
  reset(): void
  close(): Promise<void>
}

const WRITERS = {
  chat: writeStep,
  anthropic: writeAnthropicStep,
  responses: writeResponsesStep,
  gemini: writeGeminiStep,
}
const ERRORS: Record<keyof typeof WRITERS, (error: NonNullable<Step["error"]>) => object> = {
  chat: ({ status, message }) => ({ error: { message, type: "scripted", code: String(status) } }),
  anthropic: ({ message }) => ({ type: "error", error: { type: "api_error", message } }),
  responses: ({ message }) => ({ error: { type: "server_error", message } }),
  gemini: ({ status, message }) => ({ error: { code: status, message, status: "INTERNAL" } }),
}
/** The reply to requests that count tokens or list models. */
const NOT_AN_ANSWER = JSON.stringify({ input_tokens: 100, totalTokens: 100, models: [] })
const DONE = say("done")
const HIDDEN = { title: say("A scripted title"), compaction: say("A scripted summary") }

/** A model on loopback that says what a test tells it to. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const hidden: ScriptedModel["hidden"] = { ...HIDDEN }
  let arrived = 0
  let called = 0
  let scripts: { scope: Scope | undefined; steps: StepSource[] }[] = []

  const turns = () => requests.filter(({ kind }) => kind === "turn")
  const nextStep = (request: ModelRequest): Step => {
    if (request.kind === "title" || request.kind === "compaction") return play(hidden[request.kind], request)
    const own = scripts.filter(({ scope }) => scope && covers(scope, request))
    const candidates = own.length > 0 ? own : scripts.filter(({ scope }) => !scope)
    const script = candidates.find(({ steps }) => steps.length > 0)
    return play(script?.steps.shift() ?? DONE, request)
  }

  // Counted, not random: two runs of one script then send the host the same bytes.
  const newCallId = () => `call_${++called}`

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const raw = await readBody(incoming)
    const asked = readAddress(incoming.method, incoming.url)
    if (asked === undefined) return void response.end(NOT_AN_ANSWER)
    const request = readRequest(arrived, incoming.headers, raw, asked)
    arrived += 1
    const early = model.tooEarly?.(request)
    if (early === undefined) requests.push(request)
    const { form, isStreamed } = asked
    const step = early ?? nextStep(request)
    if (step.error) {
      response.writeHead(step.error.status, { "content-type": "application/json" })
      return void response.end(JSON.stringify(ERRORS[form](step.error)))
    }
    await WRITERS[form](response, request.body.model, step, newCallId, isStreamed)
  }

  // The answer fails if the host is gone, as after kill -9.
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo

  const model: ScriptedModel = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    turns,
    lastTurn() {
      const last = turns().at(-1)
      if (last === undefined) throw new Error("no request of a conversation yet")
      return last
    },
    hidden,
    script: (first?: Scope | StepSource, ...rest: StepSource[]) => {
      if (first === undefined) return
      if (isScope(first)) scripts.push({ scope: first, steps: rest })
      else scripts.push({ scope: undefined, steps: [first, ...rest] })
    },
    reset: () => {
      scripts = []
      requests.length = 0
      Object.assign(hidden, HIDDEN)
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return model
}

// A step function that throws must end the turn with its reason, not leave the host waiting.
function play(source: StepSource, request: ModelRequest): Step {
  if (typeof source !== "function") return source
  try {
    return source(request)
  } catch (cause) {
    return { error: { status: 400, message: `the script threw: ${String(cause)}` } }
  }
}

function covers({ match, ...fields }: Scope, request: ModelRequest): boolean {
  const names = ["agent", "session", "kind"] as const
  return (
    names.every((name) => (fields[name] ?? request[name]) === request[name]) && (match?.(request) ?? true)
  )
}

function isScope(value: Scope | StepSource): value is Scope {
  return ["agent", "session", "kind", "match"].some((key) => key in value)
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}
