import { count, ms } from "../figures.ts"
import type { Bench, Figures, Findings, Section } from "../section.ts"
import { type Case, probeCold, probeWarm } from "./probe.ts"

/** How long a fresh process takes until it knows the graph, and what a look at it costs from then on. */
export const loadSection: Section = { name: "load", title: "Loading the graph, and reading it again", run }

async function run(bench: Bench): Promise<Findings> {
  const cases: Case[] = [
    ...bench.sizes.map((mems) => ({ mems, shape: "settled" as const })),
    { mems: bench.barSize, shape: "before a fold" },
  ]
  const cold = await probeCold(bench, cases, bench.rounds(ROUNDS))
  const warm = await probeWarm(bench, cases)
  const results = cases.map((each, index) => ({
    ...each,
    import_ms: cold[index]?.import_ms ?? Number.NaN,
    cold_ms: cold[index]?.cold_ms ?? Number.NaN,
    unchanged_ms: warm[index]?.unchanged_ms ?? Number.NaN,
    foreign_ms: warm[index]?.foreign_ms ?? Number.NaN,
  }))
  const atBar = results.find(({ mems, shape }) => mems === bench.barSize && shape === "settled")
  const figures: Figures = Object.fromEntries(
    results.map(({ mems, shape, ...rest }) => [`${mems} mems, ${shape}`, rest]),
  )
  return {
    table: {
      head: ["mems", "import", "cold load", "read, nothing new", "read after a foreign write"],
      rows: results.map((each) => [
        `${count(each.mems)}${each.shape === "settled" ? "" : `, ${each.shape}`}`,
        ms(each.import_ms),
        ms(each.cold_ms),
        ms(each.unchanged_ms),
        ms(each.foreign_ms),
      ]),
    },
    bars: [
      {
        what: `cold load at ${count(bench.barSize)} (p50)`,
        value: atBar?.cold_ms ?? Number.NaN,
        unit: "ms",
        atMost: 150,
      },
    ],
    notes: [
      "Cold load: from before openHive to after read(), in a fresh Node process; the import comes on top, once.",
      "The files are in the system's cache. `before a fold`: a third of the mems is still in the journal, the worst case.",
    ],
    figures,
  }
}

const ROUNDS = 9
