import { cp } from "node:fs/promises"
import { runProbe } from "../child.ts"
import { count, ms, p50, p99 } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What the gate costs before every tool call. */
export const gateSection: Section = { name: "gate", title: "The gate", run }

async function run(bench: Bench): Promise<Findings> {
  const rounds = bench.isQuick ? 100 : 1000
  const project = bench.folder()
  await cp(await bench.filledProject(bench.barSize), project, { recursive: true })
  bench.progress(`${rounds} calls of each tool at ${bench.barSize} mems`)
  const probe = new URL("./gate-probe.mjs", import.meta.url)
  const { times, long } = await runProbe<{ times: Record<string, number[]>; long: number[] }>(
    process.execPath,
    probe,
    [project, String(rounds)],
  )
  const found = Object.entries(times).map(([tool, of]) => ({ tool, p50_ms: p50(of), p99_ms: p99(of) }))
  const all = p50(Object.values(times).flat())
  return {
    table: {
      head: ["tool", "p50", "p99"],
      rows: [
        ...found.map(({ tool, p50_ms, p99_ms }) => [tool, ms(p50_ms), ms(p99_ms)]),
        ["long and nested input", ms(p50(long)), ms(p99(long))],
      ],
    },
    bars: [
      { what: "gate hook, warm, p50", value: all, unit: "ms", atMost: 0.3 },
      { what: "the worst of long and nested input", value: Math.max(...long), unit: "ms", atMost: 50 },
    ],
    notes: [
      `Strict, with a task at hand, ${count(bench.barSize)} mems in the graph; each call looks whether the files have changed.`,
      "The shell commands are parsed; fifty different ones take turns.",
      `Long and nested input: ${count(long.length)} calls of up to a megabyte, the same in every run; processor time, the best of three.`,
    ],
    figures: {
      all_p50_ms: all,
      worst_ms: Math.max(...long),
      ...Object.fromEntries(found.map(({ tool, ...rest }) => [tool, rest])),
    },
  }
}
