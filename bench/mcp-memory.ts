import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { SampleMem } from "./sample-mem.ts"
import { endOnExit } from "./scratch.ts"

export const MCP_MEMORY = "@modelcontextprotocol/server-memory"

export interface McpMemory {
  save: (mem: SampleMem) => Promise<void>
  stop: () => Promise<void>
}

/** The published MCP memory server on a file of ours, over stdio as an agent uses it. */
export async function startMcpMemory(file: string): Promise<McpMemory> {
  const program = import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js")
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(program)],
    env: { MEMORY_FILE_PATH: file },
    stderr: "ignore",
  })
  const client = new Client({ name: "bench", version: "0.0.0" })
  await client.connect(transport)
  const forget = endOnExit(transport.pid)
  return {
    save: async (mem) => {
      const entity = entityOf(mem, crypto.randomUUID())
      const { isError } = await client.callTool({
        name: "create_entities",
        arguments: { entities: [entity] },
      })
      if (isError) throw new Error(`${MCP_MEMORY} refused to save`)
    },
    stop: async () => {
      await client.close()
      forget()
    },
  }
}

/** The file as the MCP memory server writes it. */
export function mcpFile(mems: SampleMem[]): string {
  return mems.map((mem, n) => JSON.stringify({ type: "entity", ...entityOf(mem, `mem-${n}`) })).join("\n")
}

/** A mem is a thing of its own, so it becomes an entity; its text and what it rests on are its observations. */
function entityOf(mem: SampleMem, name: string) {
  return {
    name,
    entityType: mem.kind,
    observations: [mem.content, ...mem.evidence, `${mem.shelf}: ${mem.tags.join(", ")}`],
  }
}
