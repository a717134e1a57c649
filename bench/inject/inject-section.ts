import { cp } from "node:fs/promises"
import { runProbe } from "../child.ts"
import { count, ms, p50, p99 } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"
import { repeatsFindings } from "./repeats-findings.ts"

/** What the injection costs before every model step, and how much of it the model has in sight already. */
export const injectSection: Section = { name: "inject", title: "The inject hook", run }

async function run(bench: Bench): Promise<Findings> {
  const turns = bench.isQuick ? 30 : 250
  const rows: string[][] = []
  const figures: Findings["figures"] = {}
  let atBar = { p50: Number.NaN, p99: Number.NaN }
  for (const mems of bench.sizes) {
    bench.progress(`${turns} turns × 3 steps at ${mems} mems`)
    const project = bench.folder()
    await cp(await bench.filledProject(mems), project, { recursive: true })
    const probe = new URL("./inject-probe.mjs", import.meta.url)
    const { fresh, replayed } = await runProbe<Timed>(process.execPath, probe, [project, String(turns)])
    const all = [...fresh, ...replayed]
    const found = {
      p50_ms: p50(all),
      p99_ms: p99(all),
      fresh_p50_ms: p50(fresh),
      replayed_p50_ms: p50(replayed),
    }
    if (mems === bench.barSize) atBar = { p50: found.p50_ms, p99: found.p99_ms }
    figures[`${mems} mems`] = found
    rows.push([
      count(mems),
      ms(found.p50_ms),
      ms(found.p99_ms),
      ms(found.fresh_p50_ms),
      ms(found.replayed_p50_ms),
    ])
  }
  const repeats = await repeatsFindings(bench)
  return {
    table: { head: ["mems", "p50", "p99", "new message, p50", "repeated, p50"], rows },
    bars: [
      {
        what: `inject hook, warm, ${count(bench.barSize)} mems, p50`,
        value: atBar.p50,
        unit: "ms",
        atMost: 1,
      },
      {
        what: `inject hook, warm, ${count(bench.barSize)} mems, p99`,
        value: atBar.p99,
        unit: "ms",
        atMost: 5,
      },
      ...repeats.bars,
    ],
    notes: [
      "The hook runs before every model step, three per turn here; a mem is saved before each turn.",
      "On a new message it packs and writes down what is frozen; on the others it repeats that.",
      "On Linux, the time in which other processes had the processor is not counted.",
      ...repeats.notes,
    ],
    figures: { ...figures, ...repeats.figures },
  }
}

interface Timed {
  fresh: number[]
  replayed: number[]
}
