import { fileURLToPath, pathToFileURL } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { onTestFinished } from "vitest"
import { GIT_ENV } from "./git-repo.ts"

export interface McpClientOptions {
  name?: string
  cwd: string
  roots?: string[]
  /** The person's answer to a question; without it the client cannot ask. */
  onAsked?: (message: string, question: AbortSignal) => "accept" | "decline" | Promise<"accept" | "decline">
  args?: string[]
  env?: Record<string, string>
}

export async function mcpClient(options: McpClientOptions) {
  const connected = await connectMcp(options)
  onTestFinished(() => connected.client.close())
  return connected
}

/** The official client, with the built `hivemind mcp` as a process of its own. */
export async function connectMcp(options: McpClientOptions) {
  const { name = "a-client", cwd, roots, onAsked, args = [], env = {} } = options
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, "mcp", ...args],
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", ...GIT_ENV, ...env },
    stderr: "ignore",
  })
  const capabilities = { ...(roots && { roots: {} }), ...(onAsked && { elicitation: {} }) }
  const client = new Client({ name, version: "1.0.0" }, { capabilities })
  if (roots !== undefined)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }))
  if (onAsked !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => ({
      action: await onAsked(params.message, signal),
      content: {},
    }))
  await client.connect(transport)

  return {
    client,
    async call(tool: string, given: Record<string, unknown>) {
      const { content, isError } = await client.callTool({ name: `hivemind_${tool}`, arguments: given })
      const [first] = content as [{ text: string }]
      return { ...JSON.parse(first.text), isError: isError === true }
    },
  }
}

export const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
