import { count, figure, mean, ms, p50, times } from "../figures.ts"
import { versionOf } from "../machine.ts"
import { MCP_MEMORY } from "../mcp-memory.ts"
import type { Bar, Bench, Figures, Findings, Section } from "../section.ts"
import { type HiveContender, startHive } from "./hive.ts"
import { startMcp } from "./mcp.ts"
import { type Lane, race } from "./race.ts"
import { startRewrite } from "./rewrite.ts"

/** What one save costs, by how many mems are there already, against two other ways to do it. */
export const saveSection: Section = {
  name: "save",
  title: "One memory.save, by the number of mems already there",
  run,
}

interface Heat {
  size: number
  hive: Lane & { contender: HiveContender }
  rewrite: Lane
  mcp: Lane
}

async function run(bench: Bench): Promise<Findings> {
  const heats: Heat[] = []
  try {
    for (const size of bench.sizes) heats.push(await startHeat(bench, size))
    const rounds = bench.rounds(ROUNDS)
    const lanes = heats.flatMap(({ hive, rewrite, mcp }) => [hive, rewrite, mcp])
    await race(lanes, rounds, (round) => bench.progress(`round ${round} of ${rounds}`))
    const results = []
    for (const heat of heats) results.push(await resultOf(heat))
    return findings(bench, results)
  } finally {
    for (const { hive, rewrite, mcp } of heats) {
      for (const lane of [hive, rewrite, mcp]) await lane.contender.stop()
    }
  }
}

async function startHeat(bench: Bench, size: number): Promise<Heat> {
  const filled = await bench.filledProject(size)
  bench.progress(`starting the contenders at ${size}`)
  return {
    size,
    hive: { contender: await startHive(filled, bench.folder()), ms: [] },
    rewrite: { contender: await startRewrite(size, bench.folder()), ms: [] },
    mcp: { contender: await startMcp(size, bench.folder()), ms: [] },
  }
}

async function resultOf({ size, hive, rewrite, mcp }: Heat) {
  const fold = await hive.contender.fold()
  const of = ({ ms }: Lane) => ({ p50_ms: p50(ms), mean_ms: mean(ms), saves: ms.length })
  const ours = of(hive)
  const others = { rewrite: of(rewrite), mcp: of(mcp) }
  return {
    size,
    hive: { ...ours, fold_ms: fold.ms, fold_share_ms: fold.ms / fold.savesPerFold },
    rewrite: { ...others.rewrite, times_ours: others.rewrite.p50_ms / ours.p50_ms },
    mcp: { ...others.mcp, times_ours: others.mcp.p50_ms / ours.p50_ms },
  }
}

type Result = Awaited<ReturnType<typeof resultOf>>

function findings(bench: Bench, results: Result[]): Findings {
  const both = (each: { p50_ms: number; mean_ms: number }) => `${figure(each.p50_ms)} / ${ms(each.mean_ms)}`
  const rows = results.map(({ size, hive, rewrite, mcp }) => [
    count(size),
    both(hive),
    both(rewrite),
    times(rewrite.times_ours),
    both(mcp),
    times(mcp.times_ours),
    `${figure(hive.fold_ms)} / ${ms(hive.fold_share_ms)}`,
  ])
  const figures: Figures = Object.fromEntries(results.map(({ size, ...rest }) => [`${size} mems`, rest]))
  return {
    table: {
      head: [
        "mems",
        "HiveMind",
        "lock + rewrite",
        "p50 ratio",
        "MCP memory",
        "p50 ratio",
        "fold / its share",
      ],
      rows,
    },
    bars: barsOf(bench, results),
    notes: [
      "p50 / mean of one save. Contenders take turns in short batches; the ratios and bars compare p50.",
      "HiveMind and lock + rewrite (proper-lockfile, write-file-atomic) are on disk (fsync) when they return.",
      `MCP memory is ${MCP_MEMORY} ${versionOf(MCP_MEMORY)}, create_entities over stdio; it does not fsync.`,
      "A fold comes after thousands of saves, and a save meanwhile waits for it; its share is spread over all of them.",
    ],
    figures,
  }
}

function barsOf({ barSize, sizes }: Bench, results: Result[]): Bar[] {
  const first = results.find(({ size }) => size === sizes[0])
  const atBar = results.find(({ size }) => size === barSize)
  if (first === undefined || atBar === undefined) return []
  return [
    {
      what: `save at ${count(barSize)}: times faster than lock + rewrite (p50)`,
      value: atBar.rewrite.times_ours,
      unit: "×",
      atLeast: 60,
    },
    {
      what: `save at ${count(barSize)} against itself at ${count(first.size)} (p50)`,
      value: atBar.hive.p50_ms / first.hive.p50_ms,
      unit: "×",
      atMost: 1.3,
    },
  ]
}

const ROUNDS = 15
