import { runProbe } from "../child.ts"
import { count, figure, ms } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"
import { readLocomo } from "./locomo.ts"
import { type Scores, scoreMiniSearch, scoreRecall } from "./retrieval.ts"

/** How well recall finds, and what it costs. */
export const recallSection: Section = { name: "recall", title: "Finding mems by words", run }

type Cost = Record<
  | "build_ms"
  | "build_block_ms"
  | "build_late_ms"
  | "index_mb"
  | "first_worst_ms"
  | "warm_p50_ms"
  | "warm_p99_ms"
  | "warm_block_ms"
  | "warm_late_ms"
  | "after_save_ms",
  number
>

async function run(bench: Bench): Promise<Findings> {
  const quality = await measureQuality(bench)
  const mems = bench.isQuick ? 1_000 : 100_000
  bench.progress(`${mems} mems, a fifth of them hot`)
  const project = bench.folder()
  await runProbe(process.execPath, FILL, [project, String(mems), String(mems / 5)])
  const cost = await leastOf(bench.rounds(ROUNDS), () => runProbe<Cost>(process.execPath, PROBE, [project]))
  const at = `at ${count(mems)}`
  return {
    table: {
      head: ["", "R@1", "R@5", "R@10"],
      rows: quality.map(({ name, scores }) => [name, ...([1, 5, 10] as const).map((k) => figure(scores[k]))]),
    },
    bars: [
      ...qualityBars(quality[0]?.scores),
      { what: `warm recall ${at} (p99)`, value: cost.warm_p99_ms, unit: "ms", atMost: 20 },
      {
        what: `longest block of the event loop ${at}`,
        value: Math.max(cost.build_block_ms, cost.warm_block_ms),
        unit: "ms",
        atMost: 20,
      },
    ],
    notes: [
      quality.length === 0
        ? "LoCoMo is not here (shared/bench beside the repository): how well it finds was not measured."
        : "LoCoMo, a turn of a conversation is a mem: percent of the right turns among the first 1, 5, 10.",
      `${count(mems)} mems, four of five in the archive: built on the first recall in ${ms(cost.build_ms)}, in slices;`,
      `warm recall p50 ${ms(cost.warm_p50_ms)}, p99 ${ms(cost.warm_p99_ms)}, the worst of the twenty before ${ms(cost.first_worst_ms)}; after a save ${ms(cost.after_save_ms)}; the index takes ${figure(cost.index_mb)} MB.`,
      `A block is the processor time of the host's thread in one go; a timer came late by ${ms(Math.max(cost.build_late_ms, cost.warm_late_ms))} at most,`,
      "which on a busy machine is the garbage collector's other threads waiting for a processor. Best of two fresh processes.",
    ],
    figures: { ...cost, ...Object.fromEntries(quality.map(({ name, scores }) => [name, { ...scores }])) },
  }
}

/** Each figure at its best: what else the machine does adds to it, and nothing takes from it. */
async function leastOf(rounds: number, measure: () => Promise<Cost>): Promise<Cost> {
  const least = await measure()
  for (let round = 1; round < rounds; round++) {
    const cost = await measure()
    for (const name of Object.keys(least) as (keyof Cost)[]) least[name] = Math.min(least[name], cost[name])
  }
  return least
}

async function measureQuality(bench: Bench): Promise<{ name: string; scores: Scores }[]> {
  const conversations = readLocomo()
  if (conversations === undefined) return []
  bench.progress("LoCoMo")
  return [
    { name: "HiveMind", scores: await scoreRecall(conversations) },
    { name: "MiniSearch as it comes", scores: await scoreMiniSearch(conversations) },
  ]
}

function qualityBars(scores: Scores | undefined): Bar[] {
  return [
    { what: "LoCoMo R@5", value: scores?.[5], unit: "%", atLeast: 60 },
    { what: "LoCoMo R@10", value: scores?.[10], unit: "%", atLeast: 68 },
  ]
}

const FILL = new URL("./recall-fill.mjs", import.meta.url)
const PROBE = new URL("./recall-probe.mjs", import.meta.url)
const ROUNDS = 2
