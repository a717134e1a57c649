import { runProbe } from "../child.ts"
import { count, ms, p50, p99 } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What it costs to put down what an answer took, and to sum it up. */
export const costSection: Section = { name: "cost", title: "The ledger of answers", run }

interface Probed {
  found: Record<string, number>
  added: number[]
}

async function run(bench: Bench): Promise<Findings> {
  const answers = bench.isQuick ? 500 : ANSWERS
  const best = new Map<string, number>()
  let added: number[] = []
  for (let round = 1; round <= bench.rounds(ROUNDS); round++) {
    bench.progress(`${answers} answers, fresh process ${round}`)
    const probe = new URL("./cost-probe.mjs", import.meta.url)
    const probed = await runProbe<Probed>(process.execPath, probe, [bench.folder(), String(answers)])
    added = probed.added
    for (const [name, value] of Object.entries(probed.found))
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, value))
  }
  const names = [...best.keys()].filter((name) => !name.endsWith(BLOCK))
  const blockOf = (name: string) => best.get(`${name}${BLOCK}`) ?? Number.NaN
  return {
    table: {
      head: ["operation", "time", "longest block"],
      rows: [
        ["one answer put down, p50", ms(p50(added)), ""],
        ["one answer put down, p99", ms(p99(added)), ""],
        ...names.map((name) => [name, ms(best.get(name) ?? Number.NaN), ms(blockOf(name))]),
      ],
    },
    bars: names.map((name) => ({
      what: `longest block: ${name}`,
      value: blockOf(name),
      unit: "ms",
      atMost: 20,
    })),
    notes: [
      `${count(answers)} answers of 40 sessions in three months; the best of ${ROUNDS} fresh processes.`,
    ],
    figures: {
      put_down_p50_ms: p50(added),
      put_down_p99_ms: p99(added),
      ...Object.fromEntries(
        names.map((name) => [name, { ms: best.get(name) ?? 0, block_ms: blockOf(name) }]),
      ),
    },
  }
}

const ANSWERS = 100_000
const ROUNDS = 3
const BLOCK = "_block"
