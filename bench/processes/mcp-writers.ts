import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startMcpMemory } from "../mcp-memory.ts"
import { sampleMem } from "../sample-mem.ts"
import type { Outcome } from "./hive-writers.ts"

/** The same with the MCP memory server: as many agents, each with a server of its own, on one file. */
export async function raceMcps(folder: string, processes: number, writes: number): Promise<Outcome> {
  const file = join(folder, "memory.jsonl")
  writeFileSync(file, "")
  const servers = await Promise.all(Array.from({ length: processes }, () => startMcpMemory(file)))
  let rejected = 0
  try {
    const started = performance.now()
    await Promise.all(
      servers.map(async (server, lane) => {
        for (let n = 0; n < writes; n++) {
          await server.save(sampleMem(lane * writes + n)).catch(() => rejected++)
        }
      }),
    )
    const seconds = (performance.now() - started) / 1000
    const wanted = processes * writes
    const there = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "").length
    return { wanted, lost: wanted - rejected - there, rejected, seconds }
  } finally {
    for (const server of servers) await server.stop()
  }
}
