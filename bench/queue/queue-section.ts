import { cp } from "node:fs/promises"
import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What it costs to apply what people ask for from outside. */
export const queueSection: Section = { name: "queue", title: "The queue of commands", run }

interface Found {
  times: Record<string, number>
  busiest: Record<string, number>
}

async function run(bench: Bench): Promise<Findings> {
  const commands = bench.isQuick ? 100 : 1000
  const project = bench.folder()
  await cp(await bench.filledProject(bench.barSize), project, { recursive: true })
  bench.progress(`${commands} commands at ${bench.barSize} mems`)
  const probe = new URL("./queue-probe.mjs", import.meta.url)
  const { times, busiest } = await runProbe<Found>(process.execPath, probe, [project, String(commands)])
  const of = (name: string) => ({ took: times[name] ?? 0, busy: busiest[name] ?? 0 })
  const [drained, saved, one, nothing] = [of("drained"), of("saved"), of("one"), of("nothing")]
  const row = (what: string, { took, busy }: typeof drained) => [what, ms(took), ms(busy)]
  return {
    table: {
      head: ["what", "time", "processor time in one go"],
      rows: [
        row(`${count(commands)} commands applied`, drained),
        row("as many mems saved without a queue", saved),
        row("one command, queued and applied", one),
        row("nothing waits", nothing),
      ],
    },
    bars: [
      { what: "commands against plain saves", value: drained.took / saved.took, unit: "×", atMost: 5 },
      { what: "processor time in one go", value: drained.busy, unit: "ms", atMost: 20 },
    ],
    notes: [`Each command saves a mem, in a graph of ${count(bench.barSize)}.`],
    figures: {
      commands,
      against_saves: drained.took / saved.took,
      drained_ms: drained.took,
      drained_busiest_ms: drained.busy,
      one_ms: one.took,
      nothing_ms: nothing.took,
    },
  }
}
