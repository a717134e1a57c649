import { runProbe } from "../child.ts"
import { count, ms, p50, p99 } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"

/** What the store's operations cost as the graph grows, and how long they hold the event loop. */
export const growthSection: Section = {
  name: "growth",
  title: "The store as the graph grows",
  run: (bench) => run(bench, bench.isQuick ? [{ mems: 1000, hot: "all" }] : CASES, barsAtHundredThousand),
}

interface Case {
  mems: number
  hot: "all" | number
}

// No more than 20,000 mems stay hot in use; a hundred thousand hot ones are the worst case before they have left.
const CASES: Case[] = [
  { mems: 10_000, hot: "all" },
  { mems: 100_000, hot: 20_000 },
  { mems: 100_000, hot: "all" },
]
interface Result {
  name: string
  figures: Record<string, number>
}

async function run(bench: Bench, cases: Case[], bars: (results: Result[]) => Bar[]): Promise<Findings> {
  const results: Result[] = []
  for (const { mems, hot } of cases) {
    const name = `${count(mems)}, ${hot === "all" ? "all" : count(hot)} hot`
    bench.progress(`filling ${name}`)
    const project = bench.folder()
    await runProbe(process.execPath, FILL, [project, String(mems), String(hot)], MEMORY_LIMIT)
    const rounds: Probed[] = []
    for (let round = 1; round <= bench.rounds(ROUNDS); round++) {
      bench.progress(`${name}: fresh process ${round}`)
      rounds.push(await runProbe<Probed>(process.execPath, PROBE, [project], MEMORY_LIMIT))
    }
    results.push({ name, figures: bestOf(rounds) })
  }
  return {
    table: {
      head: [
        "mems",
        "open",
        "memory",
        "first read",
        "save p50 / p99",
        "ordered p50",
        ...TIMED.map(([, title]) => title),
      ],
      rows: results.map(({ name, figures }) => [
        name,
        cell(figures, "open"),
        `${Math.round(figures["memory_mb"] ?? Number.NaN)} MB`,
        cell(figures, "read"),
        `${ms(figures["save_p50"] ?? Number.NaN)} / ${ms(figures["save_p99"] ?? Number.NaN)}`,
        ms(figures["ordered_p50"] ?? Number.NaN),
        ...TIMED.map(([key]) => cell(figures, key)),
      ]),
    },
    bars: bench.isQuick ? [] : bars(results),
    notes: [
      "In brackets: the longest time the operation held the event loop. Fold: after 400 changes; as-of: before them.",
      `Best of ${ROUNDS} fresh processes. On Linux, the time in which other processes had the processor is not part of a block.`,
      "Damaged part: opening a graph of which one file with mems was cut.",
      "In use no more than 20,000 mems are hot: the others are in the archive. 100,000 hot: the worst case, none has left yet.",
    ],
    figures: Object.fromEntries(results.map(({ name, figures }) => [name, figures])),
  }
}

type Probed = Record<string, number | number[]>

function bestOf(rounds: Probed[]): Record<string, number> {
  const each = rounds.map(({ saves, ordered, ...rest }): Record<string, number> => {
    const numbers = rest as Record<string, number>
    return {
      ...numbers,
      save_p50: p50(saves as number[]),
      save_p99: p99(saves as number[]),
      ordered_p50: p50(ordered as number[]),
    }
  })
  const names = Object.keys(each[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, Math.min(...each.map((of) => of[name] ?? Number.NaN))]),
  )
}

function cell(figures: Record<string, number>, name: string): string {
  const time = figures[name]
  return time === undefined ? "" : `${ms(time)} (${ms(figures[`${name}_block`] ?? Number.NaN)})`
}

function barsAtHundredThousand(results: Result[]): Bar[] {
  return results
    .filter(({ name }) => name.startsWith("100,000"))
    .map(({ name, figures }) => ({
      what: `longest block of the event loop, ${name}`,
      value: Math.max(...BLOCKING.map((each) => figures[`${each}_block`] ?? Number.NaN)),
      unit: "ms",
      atMost: 20,
    }))
}

const TIMED = [
  ["fold", "fold"],
  ["log", "newest log"],
  ["undo", "undo"],
  ["as_of", "as-of"],
  ["link", "link to archived"],
  ["damaged", "damaged part"],
] as const
const BLOCKING = ["open", "read", "fold", "log", "undo", "as_of", "damaged"]
const FILL = new URL("./growth-fill.mjs", import.meta.url)
const PROBE = new URL("./growth-probe.mjs", import.meta.url)
const ROUNDS = 3
// A run that needs more is a fault, and must not take the machine with it.
const MEMORY_LIMIT = ["--max-old-space-size=5000"]
