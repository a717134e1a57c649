import { cp } from "node:fs/promises"
import { runProbe } from "../child.ts"
import { count, ms, p50, p99 } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What detection costs after every tool call. */
export const watchSection: Section = { name: "watch", title: "Detection", run }

type Times = Record<string, { gate: number[]; checks: number[]; counted: number[] }>

async function run(bench: Bench): Promise<Findings> {
  const rounds = bench.isQuick ? 50 : 500
  const project = bench.folder()
  await cp(await bench.filledProject(bench.barSize), project, { recursive: true })
  bench.progress(`${rounds} calls of each tool at ${bench.barSize} mems`)
  const probe = new URL("./watch-probe.mjs", import.meta.url)
  const times = await runProbe<Times>(process.execPath, probe, [project, String(rounds)])
  const found = Object.entries(times).map(([tool, { gate, checks, counted }]) => ({
    tool,
    gate_p50_ms: p50(gate),
    checks_p50_ms: p50(checks),
    checks_p99_ms: p99(checks),
    counted_p50_ms: p50(counted),
  }))
  const all = Object.values(times).flatMap(({ checks }) => checks)
  const ratio = p50(all) / p50(Object.values(times).flatMap(({ gate }) => gate))
  return {
    table: {
      head: ["tool", "gate, p50", "checks, p50", "p99", "counted, p50"],
      rows: found.map((each) => [
        each.tool,
        ms(each.gate_p50_ms),
        ms(each.checks_p50_ms),
        ms(each.checks_p99_ms),
        ms(each.counted_p50_ms),
      ]),
    },
    bars: [
      { what: "checks after a call against the gate before it, p50", value: ratio, unit: "×", atMost: 2 },
      { what: "checks after a call, p99", value: p99(all), unit: "ms", atMost: 20 },
    ],
    notes: [
      `${count(bench.barSize)} mems in the graph.`,
      "Checks: what is counted of a call (failures, checks, rewrites, repeats) and which signals are there. Counted: the same with the write that keeps it, beside the checkpoint's.",
    ],
    figures: {
      against_gate: ratio,
      checks_p50_ms: p50(all),
      checks_p99_ms: p99(all),
      ...Object.fromEntries(found.map(({ tool, ...rest }) => [tool, rest])),
    },
  }
}
