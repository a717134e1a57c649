import { count, figure } from "../figures.ts"
import { MCP_MEMORY } from "../mcp-memory.ts"
import type { Bench, Findings, Section } from "../section.ts"
import { type Outcome, raceHives } from "./hive-writers.ts"
import { raceMcps } from "./mcp-writers.ts"

/** Whether writes survive when several processes write at once. */
export const processesSection: Section = {
  name: "processes",
  title: `Several processes writing at once`,
  run,
}

async function run(bench: Bench): Promise<Findings> {
  const writes = bench.isQuick ? 25 : WRITES
  bench.progress(`${PROCESSES} × ${writes} writes, HiveMind on Node and Bun`)
  const hive = await raceHives(bench.folder(), PROCESSES, writes)
  bench.progress(`${PROCESSES} × ${writes} writes, MCP memory`)
  const mcp = await raceMcps(bench.folder(), PROCESSES, writes)
  const row = (name: string, { wanted, lost, rejected, seconds }: Outcome) => [
    name,
    count(wanted),
    count(lost),
    count(rejected),
    `${figure(seconds)} s`,
  ]
  return {
    table: {
      head: [`${PROCESSES} processes × ${writes}`, "writes", "lost", "rejected", "time"],
      rows: [row("HiveMind, 2 on Node and 2 on Bun", hive), row(`${MCP_MEMORY}`, mcp)],
    },
    bars: [
      { what: "acknowledged writes lost", value: hive.lost, unit: "", atMost: 0 },
      { what: "writes rejected", value: hive.rejected, unit: "", atMost: 0 },
    ],
    notes: [
      "HiveMind's time includes starting the processes; it folds every 8 kB, and every fourth write takes the lock.",
      "MCP memory has no lock: what one server writes, the next one overwrites.",
    ],
    figures: { hive: { ...hive }, mcp: { ...mcp } },
  }
}

const PROCESSES = 4
const WRITES = 250
