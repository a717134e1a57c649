import { randomUUID } from "node:crypto"
import type { RunningCall } from "../../hive/running-call.ts"
import { shorten } from "../../shared/text/clean.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { tools } from "../../tools/index.ts"
import { connect } from "../connect.ts"
import { type Connected, connection } from "./connection.ts"
import { mcpHost } from "./host.ts"
import { INSTRUCTIONS } from "./instructions.ts"
import { askThroughClient } from "./permission.ts"
import { offerState } from "./resources.ts"
import { projectAmong } from "./roots.ts"
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type RequestHandlerExtra,
  Server,
  type ServerNotification,
  type ServerRequest,
  type Transport,
} from "./sdk.ts"

export interface Serving {
  version: string
  /** Where it was started, and whether the user has named that folder: then the client's own folders do not count. */
  dir: string
  isDirGiven: boolean
  home: string
  userConfig: string | null
  transport: Transport
}

/** HiveMind for a client that speaks MCP. Nothing is opened before the client first asks for something. Ends with it. */
export async function serveMcp({ version, dir, isDirGiven, home, userConfig, transport }: Serving) {
  const server = new Server(
    { name: "hivemind", version },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {} },
      instructions: INSTRUCTIONS,
    },
  )
  const session = `mcp-${randomUUID()}`
  const agent = () => shorten(server.getClientVersion()?.name ?? "", MAX_NAME) || "mcp client"
  let opened: Promise<Connected & ReturnType<typeof connection>> | undefined

  async function open() {
    const directory = (isDirGiven ? undefined : await rootOf(server)) ?? dir
    const toast = async (data: string) => server.sendLoggingMessage({ level: "warning", data })
    const hivemind = connect(mcpHost(directory, { home, userConfig, toast, agent }))
    const connected = { hivemind, session, agent: agent() }
    return { ...connected, ...connection(connected) }
  }
  const client = () => {
    opened ??= open()
    return opened
  }

  // What changes from now on may be the client's doing, before its first call too.
  server.oninitialized = () => void client()
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, MAX_NAME)}.`)
    const { call, hivemind } = await client()
    const running = runningCall(server, extra, params._meta?.progressToken, hivemind.mayRunUnasked)
    const answer = await call(tool, params.arguments ?? {}, running)
    return {
      content: [{ type: "text", text: JSON.stringify(answer) }],
      isError: answer.status === "error",
    }
  })
  const stopWatching = offerState(server, client)

  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  await server.connect(transport)
  await closed
  stopWatching()
  // Who never said a word has no session.
  if (opened !== undefined) (await opened).end()
}

/** The client's folder, where it names one. */
async function rootOf(server: Server): Promise<string | undefined> {
  if (server.getClientCapabilities()?.roots === undefined) return undefined
  try {
    const listed = await withTimeout(server.listRoots(), ROOTS_MS)
    return listed.timedOut ? undefined : projectAmong(listed.value.roots.map(({ uri }) => uri))
  } catch {
    return undefined // A client that says it has roots and does not tell: the working folder it is.
  }
}

function runningCall(
  server: Server,
  { signal, sendNotification }: RequestHandlerExtra<ServerRequest, ServerNotification>,
  progressToken: string | number | undefined,
  mayRunUnasked: () => Promise<boolean>,
): RunningCall {
  let progress = 0
  return {
    async mayRun(command, cwd) {
      if (!(await mayRunUnasked())) await askThroughClient(server, command, cwd, signal)
    },
    mayStart: async () => {},
    show({ title, output }) {
      if (progressToken === undefined) return
      const message = [title, output.trimEnd().split("\n").at(-1)].filter(Boolean).join(": ")
      const params = { progressToken, progress: ++progress, message }
      // A client that is gone is noticed elsewhere.
      sendNotification({ method: "notifications/progress", params }).catch(() => {})
    },
    signal,
  }
}

const LISTED = tools.map((tool) => ({
  name: tool.name,
  description: tool.description,
  inputSchema: tool.schema(),
}))
const ROOTS_MS = 2000
const MAX_NAME = 100
