import { join } from "node:path"
import { fill } from "../fill/fill.ts"
import { startMcpMemory } from "../mcp-memory.ts"
import { type Contender, resettable } from "./contender.ts"

/** The MCP memory server; timed where an agent waits for it, at the client. */
export async function startMcp(mems: number, folder: string): Promise<Contender> {
  const file = join(folder, "memory.jsonl")
  await fill("mcp", file, mems)
  const { reset, settle } = await resettable(file)
  const server = await startMcpMemory(file)
  return {
    save: async (batch) => {
      await reset()
      const ms: number[] = []
      for (const mem of batch) {
        const started = performance.now()
        await server.save(mem)
        ms.push(performance.now() - started)
      }
      await settle()
      return ms
    },
    stop: server.stop,
  }
}
