import { cp } from "node:fs/promises"
import { runProbe } from "../child.ts"
import { p50 } from "../figures.ts"
import type { Bench, Shape } from "../section.ts"

export interface Case {
  mems: number
  shape: Shape
}

/** What a fresh process says of itself after opening and reading a project. */
export interface Cold {
  import_ms: number
  cold_ms: number
  empty_mb: number
  imported_mb: number
  loaded_mb: number
}

export interface Warm {
  unchanged_ms: number
  foreign_ms: number
}

/** The p50 of several fresh processes per case, the cases taking turns. */
export async function probeCold(bench: Bench, cases: Case[], rounds: number): Promise<Cold[]> {
  const projects: string[] = []
  for (const { mems, shape } of cases) projects.push(await bench.filledProject(mems, shape))
  const readings: Cold[][] = cases.map(() => [])
  for (let round = 1; round <= rounds; round++) {
    bench.progress(`fresh processes, round ${round} of ${rounds}`)
    for (const [index, project] of projects.entries()) {
      const found = await runProbe<Cold & { mems: number }>(process.execPath, COLD, [project])
      const wanted = cases[index]?.mems
      if (found.mems !== wanted) throw new Error(`loaded ${found.mems} mems instead of ${wanted}`)
      readings[index]?.push(found)
    }
  }
  return readings.map((of) => ({
    import_ms: p50(of.map((each) => each.import_ms)),
    cold_ms: p50(of.map((each) => each.cold_ms)),
    empty_mb: p50(of.map((each) => each.empty_mb)),
    imported_mb: p50(of.map((each) => each.imported_mb)),
    loaded_mb: p50(of.map((each) => each.loaded_mb)),
  }))
}

/** The p50 of reads in one process per case. */
export async function probeWarm(bench: Bench, cases: Case[]): Promise<Warm[]> {
  const readings: Warm[] = []
  for (const { mems, shape } of cases) {
    bench.progress(`warm reads at ${mems}`)
    const project = bench.folder()
    await cp(await bench.filledProject(mems, shape), project, { recursive: true })
    readings.push(await runProbe<Warm>(process.execPath, WARM, [project]))
  }
  return readings
}

const COLD = new URL("./cold-probe.mjs", import.meta.url)
const WARM = new URL("./warm-probe.mjs", import.meta.url)
