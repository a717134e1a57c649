import { fill } from "./fill/fill.ts"
import type { Scratch } from "./scratch.ts"
import type { Bench, Findings, Section, Shape } from "./section.ts"

const filled = new Map<string, Promise<string>>()

/** Runs one section with folders of its own. */
export async function runSection(section: Section, scratch: Scratch, isQuick: boolean): Promise<Findings> {
  const own = scratch.folder()
  const progress = (text: string) => process.stderr.write(`  ${section.name}: ${text}\n`)

  const bench: Bench = {
    sizes: isQuick ? QUICK_SIZES : SIZES,
    barSize: isQuick ? 1_000 : 10_000,
    isQuick,
    rounds: (count) => (isQuick ? Math.min(count, 2) : count),
    progress,
    folder: () => own.folder().path,
    filledProject: (mems, shape: Shape = "settled") => {
      const key = `${mems} ${shape}`
      const project = filled.get(key) ?? makeProject(mems, shape)
      filled.set(key, project)
      return project
    },
  }
  async function makeProject(mems: number, shape: Shape): Promise<string> {
    progress(`filling a project with ${mems} mems, ${shape}`)
    const project = scratch.folder().path
    await fill(shape, project, mems)
    return project
  }

  const started = performance.now()
  try {
    return await section.run(bench)
  } finally {
    await own.remove()
    progress(`done in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  }
}

const SIZES = [100, 1_000, 10_000, 100_000]
const QUICK_SIZES = [100, 1_000]
