import { cp } from "node:fs/promises"
import { runProbe } from "../child.ts"
import { count, ms, p50 } from "../figures.ts"
import type { Bench, Figures, Findings, Section } from "../section.ts"
import { type BrokenLink, breakLink } from "./break-link.ts"

/** How long hooks and tools hold the host's event loop on a plan of very many tasks, whole and with one broken link. */
export const holdSection: Section = { name: "hold", title: "A plan of very many tasks", run }

interface Probed {
  [operation: string]: number | number[]
  ordered: number[]
}

async function run(bench: Bench): Promise<Findings> {
  const tasks = bench.isQuick ? 1000 : 100_000
  bench.progress(`filling a plan with ${tasks} tasks`)
  const filled = bench.folder()
  const { first } = await runProbe<{ first: string }>(process.execPath, FILL, [filled, String(tasks)])
  const best = new Map<string, number>()
  const ordered = new Map<string, number>()
  for (let round = 1; round <= bench.rounds(ROUNDS); round++) {
    for (const [title, link] of CASES) {
      bench.progress(`${title}: fresh process ${round}`)
      const project = bench.folder()
      await cp(filled, project, { recursive: true })
      if (link !== undefined) await breakLink(project, link)
      const found = await runProbe<Probed>(process.execPath, PROBE, [project, first])
      keepLeast(ordered, title, p50(found.ordered))
      for (const [name, value] of Object.entries(found))
        if (typeof value === "number") keepLeast(best, name, value)
    }
  }
  const operations = [...best.keys()].filter((name) => !name.endsWith(BLOCK))
  const blockOf = (name: string) => best.get(`${name}${BLOCK}`) ?? Number.NaN
  const whole = ordered.get(CASES[0][0]) ?? Number.NaN
  return {
    table: {
      head: ["operation", "time", "longest block"],
      rows: [
        ...operations.map((name) => [name, ms(best.get(name) ?? Number.NaN), ms(blockOf(name))]),
        ...[...ordered].map(([title, value]) => [`ordered write p50, ${title}`, ms(value), ""]),
      ],
    },
    bars: [
      ...operations.map((name) => ({
        what: `longest block: ${name}`,
        value: blockOf(name),
        unit: "ms",
        atMost: 20,
      })),
      ...[...ordered].slice(1).map(([title, value]) => ({
        what: `ordered write with ${title}, against none`,
        value: value / whole,
        unit: "×",
        atMost: 2,
      })),
    ],
    notes: [
      `The plugin's own hooks and tools, in a fresh process, ${count(tasks)} tasks in one plan; the worst of three calls each.`,
      `Best of ${ROUNDS * CASES.length} processes. On Linux, the time in which other processes had the processor is not part of a block.`,
    ],
    figures: figuresOf(best, ordered),
  }
}

function keepLeast(all: Map<string, number>, name: string, value: number): void {
  all.set(name, Math.min(value, all.get(name) ?? Number.POSITIVE_INFINITY))
}

function figuresOf(best: ReadonlyMap<string, number>, ordered: ReadonlyMap<string, number>): Figures {
  return { ...Object.fromEntries(best), ordered_p50: Object.fromEntries(ordered) }
}

const CASES: [[string, undefined], ...[string, BrokenLink][]] = [
  ["no broken link", undefined],
  ["a dependency that leads nowhere", "dependency"],
  ["a checkpoint without its task", "checkpoint"],
]
const FILL = new URL("./hold-fill.mjs", import.meta.url)
const PROBE = new URL("./hold-probe.mjs", import.meta.url)
const BLOCK = "_block"
const ROUNDS = 2
