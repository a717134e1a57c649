import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runGit } from "../../src/project/git/run-git.ts"
import { runProbe } from "../child.ts"
import { count, ms } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What it costs to know a project: this one, a large one, and one that is out to harm. */
export const scanSection: Section = { name: "scan", title: "Project scan", run }

async function run(bench: Bench): Promise<Findings> {
  const size = bench.isQuick ? 2000 : 20_000
  const cases: [name: string, make: (dir: string) => Promise<void>][] = [
    ["this repository", ownFiles],
    [`${count(size)} files`, (dir) => largeProject(dir, size)],
    ["hostile input", hostileProject],
  ]
  const measured: [string, Measured][] = []
  for (const [name, make] of cases) {
    bench.progress(name)
    const dir = bench.folder()
    await make(dir)
    measured.push([name, await runProbe<Measured>(process.execPath, PROBE, [dir])])
  }
  return {
    table: {
      head: [
        "project",
        "files",
        "full",
        "nothing changed",
        "one file changed",
        "longest block",
        "memory",
        "notes",
      ],
      rows: measured.map(([name, { found, busiest, files, memory_mb, notes }]) => [
        name,
        count(files),
        ...STEPS.map((step) => ms(found[step] ?? Number.NaN)),
        ms(longest(busiest)),
        `${memory_mb.toFixed(0)} MB`,
        String(notes),
      ]),
    },
    bars: [
      ...measured.map(([name, { busiest }]) => ({
        what: `event loop held at once by a scan: ${name}`,
        value: longest(busiest),
        unit: "ms",
        atMost: 20,
      })),
      {
        what: "a scan that finds nothing new, against a full one",
        value: (measured[1]?.[1].found["nothing changed"] ?? 0) / (measured[1]?.[1].found["full"] ?? 1),
        unit: "×",
        atMost: 0.6,
      },
    ],
    notes: [
      "In a fresh process, with the map read, written and turned into mems. Longest block: processor time in one go. Memory: the most above what the process had before.",
      "Hostile: 50 MB of one file, binary under a program's name, lines of 200,000 characters, 200 nested folders, links in a circle, broken JSON and TOML, a manifest of 2 MB.",
    ],
    figures: Object.fromEntries(measured.map(([name, { found, ...rest }]) => [name, { ...found, ...rest }])),
  }
}

interface Measured {
  found: Record<string, number>
  /** The most processor time in one go. */
  busiest: Record<string, number>
  files: number
  notes: number
  mems: number
  memory_mb: number
}

function longest(busiest: Record<string, number>): number {
  return Math.max(...STEPS.map((step) => busiest[step] ?? 0))
}

/** A copy: a bench leaves nothing in the repository it runs from. */
async function ownFiles(dir: string): Promise<void> {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: REPOSITORY, encoding: "utf8" })
  for (const path of listed.split("\0").filter((each) => each !== ""))
    cpSync(join(REPOSITORY, path), join(dir, path), { recursive: true })
  await intoGit(dir)
}

async function largeProject(dir: string, files: number): Promise<void> {
  for (let folder = 0; folder < files / 100; folder++) {
    const path = join(dir, `packages/part-${folder}`)
    mkdirSync(join(path, "src"), { recursive: true })
    writeFileSync(
      join(path, "package.json"),
      `{ "name": "part-${folder}", "dependencies": { "react": "^19" } }\n`,
    )
    writeFileSync(
      join(path, "README.md"),
      `# Part ${folder}\n\n[next](../part-${folder + 1}/README.md)\n`.repeat(10),
    )
    for (let n = 0; n < 98; n++)
      writeFileSync(join(path, `src/file-${n}.ts`), `export const n${n} = ${folder * n}\n`.repeat(60))
  }
  writeFileSync(
    join(dir, "package.json"),
    '{ "workspaces": ["packages/*"], "scripts": { "test": "vitest" } }\n',
  )
  await intoGit(dir)
}

async function hostileProject(dir: string): Promise<void> {
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  write("src/huge.ts", "")
  truncateSync(join(dir, "src/huge.ts"), 50 << 20)
  write("src/binary.ts", Buffer.alloc(500_000))
  write("src/long-line.ts", "x".repeat(1 << 20))
  write("package.json", `{"scripts": {"test": "vitest"}, "dependencies": {${'"a": "1",'.repeat(5000)}`)
  write("big/package.json", `{"dependencies": {"x": "${"1".repeat(2 << 20)}"}}`)
  const numbers = Array.from({ length: 8000 }, (_, n) => `"${8000 - n}": "1"`).join(",")
  write("turned/package.json", `{"dependencies": {${numbers}}}`)
  write("pom.xml", "<dependency><artifactId>".repeat(5000))
  write("build.gradle", `id ${" ".repeat(120_000)}'x'`)
  write("Cargo.toml", `[dependencies]\n${"a = [".repeat(8000)}\n${'b = "1"\n'.repeat(9000)}`)
  write("go.mod", `require (\n${"\tgithub.com/x/y v1.0.0\n".repeat(5000)}`)
  write("Makefile", `${"test ".repeat(25_000)}:\n`)
  write("docs/links.md", `${"[a](b.md)".repeat(20_000)}\n`)
  write("docs/open.md", `${"[a](".repeat(50_000)}\n${"`".repeat(100_000)}\n${"<a href ".repeat(20_000)}\n`)
  write("docs/many.md", "[a](gone.md) `x` <!-- y --> # h\n".repeat(20_000))
  write("docs/headings.md", Array.from({ length: 20_000 }, (_, n) => `# h ${n}\n[x](#h-${n})\n`).join(""))
  write(`${Array.from({ length: 200 }, (_, n) => `d${n}`).join("/")}/end.ts`, "export {}\n")
  symlinkSync("..", join(dir, "src/loop"))
  symlinkSync("/", join(dir, "out"))
  for (let n = 0; n < 2000; n++) write(`docs/p/${n}.md`, `# P ${n}\n[x](${n + 1}.md)\n`)
}

async function intoGit(dir: string): Promise<void> {
  const git = (...args: string[]) => runGit(dir, ["-c", "user.name=x", "-c", "user.email=x@x", ...args])
  await git("init", "-q", "-b", "main")
  await git("add", "-A")
  await git("commit", "-q", "-m", "first")
}

const STEPS = ["full", "nothing changed", "one file changed"]
const PROBE = new URL("./scan-probe.mjs", import.meta.url)
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url))
