import { fileURLToPath, pathToFileURL } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { onTestFinished } from "vitest"
import { GIT_ENV } from "./git-repo.ts"

export interface McpClientOptions {
  name?: string
  /** Where the server is started. */
  cwd: string
  /** The folders that the client says it works in. */
  roots?: string[]
  /** What the person answers who is asked; left out: the client cannot ask. */
  onAsked?: (message: string, question: AbortSignal) => "accept" | "decline" | Promise<"accept" | "decline">
  args?: string[]
  env?: Record<string, string>
}

/** As `connectMcp`, gone when the test is over. */
export async function mcpClient(options: McpClientOptions) {
  const connected = await connectMcp(options)
  onTestFinished(() => connected.client.close())
  return connected
}

/** The official client, with the built `hivemind mcp` as a process of its own. */
export async function connectMcp({
  name = "a-client",
  cwd,
  roots,
  onAsked,
  args = [],
  env = {},
}: McpClientOptions) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, "mcp", ...args],
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", ...GIT_ENV, ...env },
    stderr: "ignore",
  })
  const client = new Client(
    { name, version: "1.0.0" },
    {
      capabilities: {
        ...(roots === undefined ? {} : { roots: {} }),
        ...(onAsked === undefined ? {} : { elicitation: {} }),
      },
    },
  )
  if (roots !== undefined)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }))
  if (onAsked !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => ({
      action: await onAsked(params.message, signal),
      content: {},
    }))
  const updates: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updates.push(params.uri)
  })
  await client.connect(transport)

  return {
    client,
    updates,
    /** A call of one of our tools, by its short name; the answer as the model reads it. */
    async call(tool: string, given: Record<string, unknown>) {
      const { content, isError } = await client.callTool({ name: `hivemind_${tool}`, arguments: given })
      const [first] = content as [{ text: string }]
      return { ...JSON.parse(first.text), isError: isError === true }
    },
  }
}

export const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
