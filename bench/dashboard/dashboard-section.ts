import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What the dashboard's server takes for each view of a large graph. It reads in a process of its own, and takes no lock. */
export const dashboardSection: Section = { name: "dashboard", title: "The dashboard's answers", run }

interface Probed {
  found: Record<string, number>
  bytes: Record<string, number>
}

async function run(bench: Bench): Promise<Findings> {
  const [tasks, mems] = bench.isQuick ? [200, 500] : [TASKS, MEMS]
  bench.progress(`${tasks} tasks and ${mems} mems`)
  const probe = new URL("./dashboard-probe.mjs", import.meta.url)
  const { found, bytes } = await runProbe<Probed>(process.execPath, probe, [
    bench.folder(),
    String(tasks),
    String(mems),
  ])
  const names = Object.keys(bytes)
  const blockOf = (name: string) => found[`${name}_block`] ?? Number.NaN
  return {
    table: {
      head: ["view", "time", "longest block", "kB"],
      rows: names.map((name) => [
        name,
        ms(found[name] ?? Number.NaN),
        ms(blockOf(name)),
        count(Math.round((bytes[name] ?? 0) / 1000)),
      ]),
    },
    bars: [],
    notes: [`${count(tasks)} tasks in one plan, ${count(mems)} mems; one fresh process.`],
    figures: Object.fromEntries(
      names.map((name) => [name, { ms: found[name] ?? 0, block_ms: blockOf(name), bytes: bytes[name] ?? 0 }]),
    ),
  }
}

const TASKS = 5000
const MEMS = 20_000
