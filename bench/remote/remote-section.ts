import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bar, Bench, Findings, Section } from "../section.ts"

/** What it costs a fresh clone to take in what a remote has, and what a sync costs after that. */
export const remoteSection: Section = {
  name: "remote",
  title: "A fresh clone and its remote",
  run: (bench) => run(bench, bench.isQuick ? [1000] : SIZES, barsOf),
}

/** The same at a million: it takes some minutes. */
export const remoteMillionSection: Section = {
  name: "remote-million",
  title: "A remote of a million entries",
  isLong: true,
  run: (bench) => run(bench, [1_000_000], () => []),
}

type Figures = Record<(typeof NAMES)[number], number>

interface Result {
  entries: number
  figures: Figures
}

async function run(bench: Bench, sizes: number[], bars: (results: Result[]) => Bar[]): Promise<Findings> {
  const results: Result[] = []
  for (const entries of sizes) {
    const root = bench.folder()
    const [remote, project] = [join(root, "remote.git"), join(root, "clone")]
    bench.progress(`a remote of ${count(entries)} entries`)
    await runProbe(process.execPath, FILL, [remote, String(entries)], [])
    execFileSync("git", ["init", "-q", project])
    execFileSync("git", ["-C", project, "remote", "add", "origin", remote])
    bench.progress(`a fresh clone takes in ${count(entries)} entries`)
    const figures = await runProbe<Figures>(process.execPath, PROBE, [project], MEMORY_LIMIT)
    if (figures.brought !== entries || figures.known !== entries + 1) throw new Error(JSON.stringify(figures))
    results.push({ entries, figures })
  }
  return {
    table: {
      head: ["entries", "first sync", "per entry", "memory", "nothing new", "one entry more"],
      rows: results.map(({ entries, figures }) => [
        count(entries),
        `${ms(figures.first)} (${ms(figures.first_block)})`,
        ms(figures.first / entries),
        `${Math.round(figures.memory_mb)} MB`,
        `${ms(figures.nothing)} (${ms(figures.nothing_block)})`,
        `${ms(figures.one)} (${ms(figures.one_block)})`,
      ]),
    },
    bars: bench.isQuick ? [] : bars(results),
    notes: [
      "In brackets: the longest time the event loop was held. On Linux, the time in which other processes had the processor is not part of it.",
      "A bare repository on the same disk, two clones' entries, one mem each. Most of the two on the right is git's start, eight times or so.",
    ],
    figures: Object.fromEntries(results.map(({ entries, figures }) => [count(entries), figures])),
  }
}

function barsOf(results: Result[]): Bar[] {
  const [small, large] = results
  if (small === undefined || large === undefined) return []
  const { first_block, nothing_block, one_block } = large.figures
  return [
    {
      what: `longest block of the event loop, ${count(large.entries)} entries`,
      value: Math.max(first_block, nothing_block, one_block),
      unit: "ms",
      atMost: 20,
    },
    {
      what: "an entry of the large remote beside one of the small",
      value: large.figures.first / large.entries / (small.figures.first / small.entries),
      unit: "times",
      atMost: 2,
    },
    {
      what: "one entry more, with the large log beside the small",
      value: large.figures.one / small.figures.one,
      unit: "times",
      atMost: 2,
    },
  ]
}

const NAMES = [
  "brought",
  "known",
  "memory_mb",
  "first",
  "first_block",
  "nothing",
  "nothing_block",
  "one",
  "one_block",
] as const
const SIZES = [10_000, 100_000]
const FILL = new URL("./remote-fill.mjs", import.meta.url)
const PROBE = new URL("./remote-probe.mjs", import.meta.url)
// A run that needs more is a fault, and must not take the machine with it.
const MEMORY_LIMIT = ["--max-old-space-size=1500"]
