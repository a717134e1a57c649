import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runGit } from "../../src/project/git/run-git.ts"
import { runProbe } from "../child.ts"
import { count, ms, p50, p99 } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What looking at the work tree costs after a call, in a large repository. */
export const treeSection: Section = { name: "tree", title: "Looking at the tree after a call", run }

async function run(bench: Bench): Promise<Findings> {
  const files = bench.isQuick ? 2000 : 20_000
  const rounds = bench.isQuick ? 20 : 100
  const project = bench.folder()
  bench.progress(`a repository of ${files} files`)
  await largeRepository(project, files)
  bench.progress(`${rounds} calls of each sort`)
  const probe = new URL("./tree-probe.mjs", import.meta.url)
  const measured = await runProbe<Measured>(process.execPath, probe, [project, String(rounds)])
  const found = Object.entries(measured.times).map(([sort, of]) => ({
    sort,
    p50_ms: p50(of),
    p99_ms: p99(of),
  }))
  const cannotWrite = p50(measured.times["a call that cannot write"] ?? [])
  return {
    table: {
      head: ["after", "p50", "p99"],
      rows: found.map(({ sort, p50_ms, p99_ms }) => [sort, ms(p50_ms), ms(p99_ms)]),
    },
    bars: [
      { what: "look after a call that cannot write, p50", value: cannotWrite, unit: "ms", atMost: 1 },
      {
        what: "look after a command, against `git status` alone",
        value: p50(measured.times["a command that changes nothing"] ?? []) / p50(measured.status),
        unit: "×",
        atMost: 1.5,
      },
      { what: "event loop held at once by a look", value: measured.held_ms, unit: "ms", atMost: 20 },
    ],
    notes: [
      `${count(files)} files under git. \`git status\` alone: p50 ${ms(p50(measured.status))}; the rest is ours.`,
      "Of a look nearly all is git's own process: it runs beside the event loop, and grows with the tree.",
    ],
    figures: {
      held_ms: measured.held_ms,
      git_status_p50_ms: p50(measured.status),
      ...Object.fromEntries(found.map(({ sort, ...rest }) => [sort, rest])),
    },
  }
}

interface Measured {
  times: Record<string, number[]>
  /** `git status` alone. */
  status: number[]
  held_ms: number
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
  await git("init", "-q", "-b", "main")
  await git("add", "-A")
  await git("commit", "-q", "-m", "first")
  // Files as old as the index are compared by content until it is written again, as any command of a user's does.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await runGit(dir, ["update-index", "--refresh", "-q", "--really-refresh"])
}
