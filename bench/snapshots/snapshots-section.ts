import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runGit } from "../../src/project/git/run-git.ts"
import { runProbe } from "../child.ts"
import { count, ms, p50, times } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What a snapshot before or after a call costs, against `git status` of the same moment. */
export const snapshotsSection: Section = { name: "snapshots", title: "Snapshots of the work tree", run }

async function run(bench: Bench): Promise<Findings> {
  const sizes = bench.isQuick ? [2000] : [2000, 20_000, 100_000]
  const calls = bench.isQuick ? 50 : 500
  const rows: Row[] = []
  let growth: Measured["growth"] = { before: 0, after: 0, packed: 0 }
  const firsts: string[] = []
  const starts: number[] = []
  for (const files of sizes) {
    const project = bench.folder()
    bench.progress(`a repository of ${count(files)} files`)
    await largeRepository(project, files)
    const isSmallest = files === sizes[0]
    const installed = bench.isQuick ? 2000 : 20_000
    const args = [project, bench.rounds(15), installed, isSmallest ? calls : 0].map(String)
    const measured = await runProbe<Measured>(process.execPath, PROBE, args)
    firsts.push(`${count(files)} files ${ms(measured.first)}`)
    if (isSmallest) growth = measured.growth
    starts.push(...measured.starts)
    for (const [sort, { looks, status, held_ms }] of Object.entries(measured.found))
      rows.push({ files, sort, look: p50(looks), status: p50(status), held_ms })
  }
  const perCall = (growth.after - growth.before) / calls
  return {
    table: {
      head: ["files", "work tree", "snapshot", "git status", "ratio", "event loop held"],
      rows: rows.map(({ files, sort, look, status, held_ms }) => [
        count(files),
        sort,
        ms(look),
        ms(status),
        times(look / status),
        ms(held_ms),
      ]),
    },
    bars: [
      ...rows.map(({ files, sort, look, status }) => ({
        what: `snapshot against \`git status\`, ${count(files)} files, ${sort}`,
        value: look / status,
        unit: "×",
        atMost: 2,
      })),
      {
        what: "event loop held at once by a snapshot",
        value: Math.max(...rows.map(({ held_ms }) => held_ms)),
        unit: "ms",
        atMost: 10,
      },
    ],
    notes: [
      `The first snapshot of a project runs in the background: ${firsts.join(", ")}.`,
      `${count(calls)} calls that change three files each: ${count(Math.round(perCall / 1000))} kB per call, ${count(Math.round((growth.packed - growth.before) / calls / 1000))} kB after pruning.`,
      `Starting git once (\`git --version\`) takes ${ms(p50(starts))}. A snapshot starts it twice, side by side; up to 64 small changed files need no other start.`,
      "Medians; snapshot and `git status -uall` take turns. An install adds 20,000 files in node_modules.",
    ],
    figures: {
      growth_bytes_per_call: perCall,
      packed_bytes_per_call: (growth.packed - growth.before) / calls,
      ...Object.fromEntries(
        rows.map(({ files, sort, ...figures }) => [`${files} files, ${sort}`, { ...figures }]),
      ),
    },
  }
}

interface Row {
  files: number
  sort: string
  look: number
  status: number
  held_ms: number
}

interface Measured {
  first: number
  found: Record<string, { looks: number[]; status: number[]; held_ms: number }>
  /** Bytes of the store, around the calls and after pruning. */
  growth: { before: number; after: number; packed: number }
  /** Of the program git, in ms. */
  starts: number[]
}

async function largeRepository(dir: string, files: number): Promise<void> {
  const git = (...args: string[]) => runGit(dir, ["-c", "user.name=x", "-c", "user.email=x@x", ...args])
  for (let folder = 0; folder < files / 100; folder++) {
    mkdirSync(join(dir, `src/part-${folder}`), { recursive: true })
    for (let n = 0; n < 100; n++)
      writeFileSync(
        join(dir, `src/part-${folder}/file-${n}.ts`),
        `export const n = ${folder * n}\n`.repeat(20),
      )
  }
  writeFileSync(join(dir, ".gitignore"), "node_modules/\n")
  await git("init", "-q", "-b", "main")
  await git("add", "-A")
  await git("commit", "-q", "-m", "first")
}

const PROBE = new URL("./snapshots-probe.mjs", import.meta.url)
