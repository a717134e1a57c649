import { count, figure } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"
import { probeCold } from "./probe.ts"

/** What the loaded graph costs in memory, next to a process that does nothing. */
export const memorySection: Section = { name: "memory", title: "Peak memory of a fresh process", run }

async function run(bench: Bench): Promise<Findings> {
  const cases = bench.sizes.map((mems) => ({ mems, shape: "settled" as const }))
  const found = await probeCold(bench, cases, bench.rounds(ROUNDS))
  const empty = found[0]?.empty_mb ?? Number.NaN
  const imported = found[0]?.imported_mb ?? Number.NaN
  const mb = (value: number) => [`${figure(value)} MB`, `${figure(value - empty)} MB`]
  return {
    table: {
      head: ["process", "peak memory", "above an empty one"],
      rows: [
        ["empty Node", ...mb(empty)],
        ["package imported", ...mb(imported)],
        ...cases.map(({ mems }, index) => [
          `${count(mems)} mems loaded`,
          ...mb(found[index]?.loaded_mb ?? Number.NaN),
        ]),
      ],
    },
    bars: [],
    notes: ["Highest resident memory of the process up to then, p50 of fresh Node processes."],
    figures: {
      empty_mb: empty,
      imported_mb: imported,
      ...Object.fromEntries(
        cases.map(({ mems }, index) => [
          `${mems} mems`,
          { loaded_mb: found[index]?.loaded_mb ?? Number.NaN },
        ]),
      ),
    },
  }
}

const ROUNDS = 3
