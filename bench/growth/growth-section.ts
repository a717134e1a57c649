import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What the store's operations cost as the graph grows, and how long they hold the event loop. */
export const growthSection: Section = { name: "growth", title: "The store as the graph grows", run }

type Found = Record<string, number>

async function run(bench: Bench): Promise<Findings> {
  const cases = bench.isQuick
    ? [{ mems: 1000, hot: "all" }]
    : [
        { mems: 10_000, hot: "all" },
        { mems: 100_000, hot: "all" },
        { mems: 1_000_000, hot: "20000" },
        { mems: 1_000_000, hot: "1000" },
      ]
  const probe = new URL("./growth-probe.mjs", import.meta.url)
  const results: { name: string; mems: number; found: Found }[] = []
  for (const { mems, hot } of cases) {
    bench.progress(`${mems} mems, ${hot} of them hot`)
    const found = await runProbe<Found>(process.execPath, probe, [bench.folder(), String(mems), hot])
    results.push({ name: `${count(mems)}, ${hot === "all" ? "all" : count(Number(hot))} hot`, mems, found })
  }
  const cell = (found: Found, name: string) =>
    `${ms(found[name] ?? Number.NaN)} (${ms(found[`${name}_block`] ?? Number.NaN)})`
  const atBar = results.find(({ mems }) => mems === 100_000)?.found
  const blocks = BLOCKING.map((name) => atBar?.[`${name}_block`] ?? Number.NaN)
  const million = results.find(({ mems }) => mems === 1_000_000)?.found
  return {
    table: {
      head: ["mems", "open", "memory", "save p50 / p99", "ordered", "fold", "log", "undo", "as-of"],
      rows: results.map(({ name, found }) => [
        name,
        cell(found, "open"),
        `${Math.round(found["memory_mb"] ?? Number.NaN)} MB`,
        `${ms(found["save_p50"] ?? Number.NaN)} / ${ms(found["save_p99"] ?? Number.NaN)}`,
        ...["ordered", "fold", "log", "undo", "as_of"].map((name) => cell(found, name)),
      ]),
    },
    bars: bench.isQuick
      ? []
      : [
          {
            what: "longest block of the event loop at 100,000",
            value: Math.max(...blocks),
            unit: "ms",
            atMost: 20,
          },
          { what: "open at a million", value: million?.["open"] ?? Number.NaN, unit: "ms", atMost: 2000 },
        ],
    notes: [
      "In brackets: the longest time the operation held the event loop. Fold: after 400 changes.",
      "More than 20,000 mems are not kept hot: the oldest are in the archive, where recall finds them.",
    ],
    figures: Object.fromEntries(results.map(({ name, found }) => [name, found])),
  }
}

const BLOCKING = ["open", "ordered", "fold", "log", "undo", "as_of"]
