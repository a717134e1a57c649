import { runProbe } from "../child.ts"
import { count, figure, ms } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What it takes to bring a large project over from another tool. */
export const importSection: Section = { name: "import", title: "Import of issues", run }

interface Found {
  found: Record<string, number>
  busiest: Record<string, number>
  sources: { total: number; taken: number }
  told: number
  memory_mb: number
}

async function run(bench: Bench): Promise<Findings> {
  const large = bench.isQuick ? 5000 : 50_000
  const probe = new URL("./import-probe.mjs", import.meta.url)
  const measure = (issues: number) => {
    bench.progress(`${issues} issues of beads`)
    return runProbe<Found>(process.execPath, probe, [bench.folder(), String(issues)])
  }
  const [some, many] = [await measure(large / 10), await measure(large)]
  const took = ({ found }: Found, what: string) => found[what] ?? 0
  const row = (what: string, name: string) => [what, ms(took(some, name)), ms(took(many, name))]
  const growth = took(many, "first") / took(some, "first")
  return {
    table: {
      head: ["what", `${count(large / 10)} issues`, `${count(large)} issues`],
      rows: [
        row("imported", "first"),
        row("run again, nothing new", "again"),
        row("taken back", "taken back"),
        ["memory at most", `${figure(some.memory_mb)} MB`, `${figure(many.memory_mb)} MB`],
        ["progress told", count(some.told), count(many.told)],
      ],
    },
    bars: [
      { what: "ten times the issues", value: growth, unit: "× the time", atMost: 20 },
      { what: "issues that were taken over", value: many.sources.taken / large, unit: "of all", atLeast: 1 },
    ],
    notes: [
      "Issues of beads in epics of a hundred; two of five wait for another. The graph is empty before.",
    ],
    figures: {
      issues: large,
      first_ms: took(many, "first"),
      again_ms: took(many, "again"),
      taken_back_ms: took(many, "taken back"),
      memory_mb: many.memory_mb,
      growth,
    },
  }
}
