import type { Connected } from "./connection.ts"
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Server,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "./sdk.ts"

/**
 * The state as a resource with updates and as a prompt; recall and single mems as resource templates. Returns a function that
 * ends the updates.
 */
export function offerState(server: Server, client: () => Promise<Connected>): () => void {
  const watch = watchState(server, async () => wholeState(await client()))
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      {
        uri: STATE,
        name: "state",
        title: "State of the project",
        description: "Plan, tasks, decisions and warnings, as an agent sees them",
        mimeType: "text/xml",
      },
    ],
  }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: `${RECALL}{query}`,
        name: "recall",
        title: "Knowledge about a topic",
        description: "Mems and failed tasks that these words are about, each with why",
        mimeType: "application/json",
      },
      {
        uriTemplate: `${MEM}{id}`,
        name: "mem",
        title: "One mem",
        description: "A mem by its id, with its links",
        mimeType: "application/json",
      },
    ],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const connected = await client()
    const text = uri === STATE ? await wholeState(connected) : await found(connected, uri)
    const mimeType = uri === STATE ? "text/xml" : "application/json"
    return { contents: [{ uri, mimeType, text }] }
  })
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    if (uri !== STATE) throw unknown(uri)
    await watch.begin()
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, () => {
    watch.end()
    return {}
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [{ name: PROMPT, title: "State of the project", description: "The plan and the knowledge" }],
  }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params: { name } }) => {
    if (name !== PROMPT)
      throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${name.slice(0, MAX_SHOWN)}.`)
    const text = await wholeState(await client())
    return { messages: [{ role: "user", content: { type: "text", text } }] }
  })
  return watch.end
}

async function wholeState({ hivemind, session }: Connected): Promise<string> {
  const state = await hivemind.callsOnly.whole(session)
  return state === "" ? NOTHING_YET : state
}

/** Reads an address of a template with the tool that answers such questions. */
async function found({ hivemind, session, agent }: Connected, uri: string): Promise<string> {
  const asked = questionIn(uri)
  if (asked === undefined) throw unknown(uri)
  const tool = hivemind.tools.find(({ name }) => name === asked.tool)
  if (tool === undefined) throw unknown(uri)
  // These tools run no command and start no agent.
  const never = () => Promise.reject(unknown(uri))
  const { signal } = new AbortController()
  const running = { mayRun: never, mayStart: never, show: () => {}, signal }
  const { status, ...reply } = await hivemind.runTool(tool, { session, agent, running }, asked.args)
  if (status === "error") throw new McpError(ErrorCode.InvalidParams, String(reply["what"]))
  return JSON.stringify(reply)
}

function questionIn(uri: string): { tool: string; args: Record<string, string> } | undefined {
  if (uri.startsWith(RECALL))
    return { tool: "hivemind_memory", args: { action: "recall", query: decoded(uri, RECALL) } }
  if (uri.startsWith(MEM))
    return { tool: "hivemind_inspect", args: { action: "deep", id: decoded(uri, MEM) } }
  return undefined
}

function decoded(uri: string, prefix: string): string {
  try {
    return decodeURIComponent(uri.slice(prefix.length))
  } catch {
    throw unknown(uri)
  }
}

function unknown(uri: string): McpError {
  return new McpError(
    RESOURCE_NOT_FOUND,
    `There is no ${uri.slice(0, MAX_SHOWN)}. Read ${STATE}, ${RECALL}{query} or ${MEM}{id}.`,
  )
}

/** Tells a subscribed client that the state has changed. Other processes write too, so it is compared at intervals. */
function watchState(server: Server, state: () => Promise<string>) {
  let timer: NodeJS.Timeout | undefined
  let last = ""

  async function compare(): Promise<void> {
    const now = await state()
    if (timer === undefined) return
    if (now !== last) await server.sendResourceUpdated({ uri: STATE })
    last = now
    wait()
  }
  function wait(): void {
    timer = setTimeout(() => {
      compare().catch(() => {
        if (timer !== undefined) wait() // A state that cannot be read now may be readable later.
      })
    }, COMPARE_EVERY_MS).unref()
  }

  return {
    async begin(): Promise<void> {
      if (timer !== undefined) return
      last = await state()
      wait()
    },
    end(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

const STATE = "hivemind://state"
const RECALL = "hivemind://recall/"
const MEM = "hivemind://mem/"
const PROMPT = "state"
const NOTHING_YET = "Nothing is planned or known here yet."
// The protocol's error code.
const RESOURCE_NOT_FOUND = -32002
const COMPARE_EVERY_MS = 1000
const MAX_SHOWN = 200
