import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"

/** The first call of each kind in a new process, up to a million mems. Filling that takes some minutes. */
export const millionSection: Section = {
  name: "million",
  title: "The first calls of a new process, up to a million mems",
  isLong: true,
  run,
}

type Probed = Record<string, number>

interface Result {
  mems: number
  indexSeconds: number
  recall: Probed
  history: Probed
}

async function run(bench: Bench): Promise<Findings> {
  const results: Result[] = []
  for (const mems of bench.isQuick ? [2000] : SIZES) {
    bench.progress(`filling ${count(mems)}`)
    const project = bench.folder()
    const hot = String(Math.min(mems / 2, HOT))
    const { index_s } = await runProbe<{ index_s: number }>(process.execPath, FILL, [
      ...[project, String(mems), hot],
    ])
    bench.progress(`${count(mems)}: new processes`)
    const probe = (what: string) => runProbe<Probed>(process.execPath, PROBE, [project, what])
    const [recall, history] = [await probe("recall"), await probe("history")]
    results.push({ mems, indexSeconds: index_s, recall, history })
  }
  return {
    table: {
      head: [
        "mems",
        "open",
        "first recall",
        "later recalls",
        "log",
        "undo",
        "as-of",
        "memory",
        "index built in",
      ],
      rows: results.map(({ mems, indexSeconds, recall, history }) => [
        count(mems),
        cell(recall, "open"),
        cell(recall, "recall"),
        cell(recall, "later_recall"),
        ...["log", "undo", "as_of"].map((name) => cell(history, name)),
        `${Math.round(recall["memory_mb"] ?? Number.NaN)} MB`,
        `${Math.round(indexSeconds)} s`,
      ]),
    },
    bars: bench.isQuick ? [] : results.flatMap(barsOf),
    notes: [
      "Each row: two new processes, one that recalls and one that reads the history. 20,000 mems are hot, or half of them.",
      "In brackets: the longest time that a call held the event loop. Times are without those of other programs (Linux).",
      "Memory: after the first recall, above what an empty Node process has. Later recalls: the worst of 20 other queries.",
    ],
    figures: Object.fromEntries(
      results.map(({ mems, indexSeconds, recall, history }) => [
        count(mems),
        { indexSeconds, recall, history },
      ]),
    ),
  }
}

function barsOf({ mems, recall, history }: Result): Bar[] {
  const calls = mems < MILLION ? [] : ["log", "undo", "as_of"]
  const blocks = [recall, history].flatMap((all) =>
    Object.entries(all).flatMap(([name, value]) => (name.endsWith("_block") ? value : [])),
  )
  const memory = { what: `memory above empty, ${count(mems)}`, value: recall["memory_mb"], unit: "MB" }
  return [
    { what: `longest block, ${count(mems)}`, value: Math.max(...blocks), unit: "ms", atMost: 20 },
    { ...memory, atMost: mems < MILLION ? 150 : 400 },
    ...(mems < MILLION
      ? []
      : [{ what: "first recall", value: recall["recall_ms"], unit: "ms", atMost: 100 }]),
    ...calls.map((name) => ({ what: name, value: history[`${name}_ms`], unit: "ms", atMost: 50 })),
  ]
}

function cell(probed: Probed, name: string): string {
  return `${ms(probed[`${name}_ms`] ?? Number.NaN)} (${ms(probed[`${name}_block`] ?? Number.NaN)})`
}

const MILLION = 1_000_000
const SIZES = [10_000, 100_000, MILLION]
const HOT = 20_000
const FILL = new URL("./bulk-fill.mjs", import.meta.url)
const PROBE = new URL("./new-process-probe.mjs", import.meta.url)
