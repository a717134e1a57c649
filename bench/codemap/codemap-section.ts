import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** The code map: beside madge on the same tree, on many files, and on what nobody should have in a repository. */
export const codemapSection: Section = { name: "codemap", title: "The code map", run }

async function run(bench: Bench): Promise<Findings> {
  const files = bench.isQuick ? 2000 : 20_000
  const [large, hostile] = [bench.folder(), bench.folder()]
  bench.progress(`${files} files`)
  makeLarge(large, files)
  makeHostile(hostile)
  const many = await quietest(bench.rounds(2), large)
  bench.progress("hostile files")
  const bad = await probe<Scanned>("scan", hostile)
  bench.progress("after a write")
  const renewing = bench.folder()
  makeLarge(renewing, files)
  const { worst } = await probe<{ worst: number }>("renew", renewing)
  bench.progress("beside madge")
  const beside = await besideMadge(bench)
  const rows = [
    ["generated", many],
    ["hostile", bad],
  ] as const
  return {
    table: {
      head: ["tree", "files", "imports", "first", "in one go", "again", "memory", "noted"],
      rows: rows.map(([name, { files: n, edges, found, peak, notes }]) => [
        name,
        count(n),
        count(edges),
        ms(found["first"] ?? 0),
        ms(found["first_block"] ?? 0),
        ms(found["again"] ?? 0),
        `${Math.round(peak / 2 ** 20)} MB`,
        String(notes),
      ]),
    },
    bars: [
      {
        what: "processor time in one go, any scan",
        value: Math.max(...rows.map(([, { busiest }]) => Math.max(...Object.values(busiest)))),
        unit: "ms",
        atMost: 20,
      },
      {
        what: `from a write to the map that has it, ${count(files)} files`,
        value: worst,
        unit: "ms",
        atMost: 1000,
      },
      ...(beside === undefined
        ? []
        : [{ what: "a cold scan, faster than madge's", value: beside.ratio, unit: "×", atLeast: 10 }]),
    ],
    notes: [
      beside?.note ??
        "madge is not here: give the folder of an install of it in BENCH_PEERS, and a tree in BENCH_TREE (default: src).",
      "Hostile: binary, 50 MB, brackets and functions in each other, loops of links, a folder that may not be read, broken syntax.",
    ],
    figures: {
      generated: { files: many.files, ...many.found, peak: many.peak },
      hostile: { files: bad.files, ...bad.found, peak: bad.peak },
      renewed: { files, worst_ms: worst },
      ...(beside !== undefined && {
        madge: { ratio: beside.ratio, madge_ms: beside.madge, ours_ms: beside.ours },
      }),
    },
  }
}

/** Of several fresh processes, the one that was held up least: what else runs here only ever adds to it. */
async function quietest(rounds: number, dir: string): Promise<Scanned> {
  const runs: Scanned[] = []
  for (let round = 0; round < rounds; round++) {
    rmSync(join(dir, ".hivemind"), { recursive: true, force: true })
    runs.push(await probe<Scanned>("scan", dir))
  }
  const worst = ({ busiest }: Scanned) => Math.max(...Object.values(busiest))
  return runs.reduce((best, each) => (worst(each) < worst(best) ? each : best))
}

interface Scanned {
  found: Record<string, number>
  busiest: Record<string, number>
  peak: number
  files: number
  edges: number
  notes: number
}

async function besideMadge(bench: Bench) {
  const peers = process.env["BENCH_PEERS"]
  if (peers === undefined || !existsSync(join(peers, "node_modules", "madge"))) return undefined
  // A copy without git: both look at the same files.
  const tree = bench.folder()
  cpSync(process.env["BENCH_TREE"] ?? fileURLToPath(new URL("../../src", import.meta.url)), tree, {
    recursive: true,
  })
  const times = { madge: Number.POSITIVE_INFINITY, once: Number.POSITIVE_INFINITY }
  const edges = { madge: 0, once: 0 }
  for (let round = 0; round < bench.rounds(5); round++) {
    for (const what of ["madge", "once"] as const) {
      const found = await probe<{ total: number; edges: number }>(what, tree, peers)
      times[what] = Math.min(times[what], found.total)
      edges[what] = found.edges
    }
  }
  const note = `Beside madge, the best of ${bench.rounds(5)} fresh processes each, their own loading aside: madge ${ms(times.madge)} (${edges.madge} imports), ours ${ms(times.once)} (${edges.once}).`
  return { ratio: times.madge / times.once, madge: times.madge, ours: times.once, note }
}

function probe<T>(what: string, dir: string, ...more: string[]): Promise<T> {
  return runProbe<T>(process.execPath, new URL("./codemap-probe.mjs", import.meta.url), [what, dir, ...more])
}

/** Each file imports some before it, and has what a file has: comments, exports, a todo now and then. */
function makeLarge(dir: string, files: number): void {
  for (let n = 0; n < files; n++) {
    const imports = [1, 2, 7].flatMap((back) =>
      n >= back ? [`import { f${n - back} } from "${pathFrom(n, n - back)}"`] : [],
    )
    const body = Array.from(
      { length: 12 },
      (_, k) =>
        `/** Does ${k}.\n * @param a what */\nexport function g${k}(a: number, b = ${k}): number {\n  return a * b // for ${n}\n}`,
    )
    const text = [
      ...imports,
      `export function f${n}(a: number): number { return a }`,
      ...body,
      n % 10 === 0 ? "// TODO: more" : "",
    ]
    write(dir, fileOf(n), `${text.join("\n")}\n`)
  }
}

function fileOf(n: number): string {
  return `src/part-${Math.floor(n / 100)}/file-${n}.ts`
}

function pathFrom(from: number, to: number): string {
  return `../part-${Math.floor(to / 100)}/file-${to}${from % 2 === 0 ? "" : ".js"}`
}

function makeHostile(dir: string): void {
  write(dir, "ok.ts", 'import "./broken"\n')
  write(dir, "broken.ts", "export const = {{{\n")
  write(dir, "binary.ts", "\0".repeat(1 << 20))
  write(dir, "large.ts", "export const a = 1\n".repeat((50 << 20) / 19))
  write(dir, "long-line.js", `var a = "${"x".repeat(900_000)}"`)
  write(dir, "many.ts", "export function f(a: string) { return a }\n".repeat(20_000))
  write(dir, "comments.ts", "// a comment of some words\nconst a = 1\n".repeat(20_000))
  write(dir, "brackets.ts", "[".repeat(900_000))
  write(dir, "functions.ts", "function f(){".repeat(50_000))
  write(dir, "arrows.ts", `${"a=>".repeat(100_000)}1`)
  write(dir, `${"deep/".repeat(200)}a.ts`, "export {}\n")
  symlinkSync("..", join(dir, "loop"))
  symlinkSync("loop", join(dir, "loop2"))
  write(dir, "shut/a.ts", "export {}\n")
  chmodSync(join(dir, "shut"), 0)
}

function write(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}
