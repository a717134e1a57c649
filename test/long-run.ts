// npm run test:long [-- part of a path… [-t "part of a title"]]: tests in their longer form. Writes test/long-results.json and docs/reliability.md.
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type LongResults, PAGE, RESULTS, type TestResult, writeReliabilityPage } from "./reliability-page.ts"

const TEST = fileURLToPath(new URL(".", import.meta.url))

interface VitestReport {
  testResults: {
    name: string
    assertionResults: { title: string; status: string; duration?: number; meta?: { table?: unknown } }[]
  }[]
}

const { values, positionals: filters } = parseArgs({
  options: { title: { type: "string", short: "t" } },
  allowPositionals: true,
})
const files = filesWithLongForm().filter(
  (file) => filters.length === 0 || filters.some((each) => file.includes(each)),
)
if (files.length === 0) {
  console.error(
    `No test with a long form matches ${filters.join(", ")}. There are:\n${filesWithLongForm().join("\n")}`,
  )
  process.exit(1)
}
// Now: a long run may end after the next commit. The results of the run before do not count as a change.
const git = (...args: string[]) => execFileSync("git", args, { cwd: TEST, encoding: "utf8" }).trim()
const isChanged = git("status", "--porcelain", "--", ":/", `:(exclude)${RESULTS}`, `:(exclude)${PAGE}`) !== ""
const commit = `${git("rev-parse", "--short", "HEAD")}${isChanged ? "-dirty" : ""}`
const folder = mkdtempSync(join(tmpdir(), "hivemind-long-"))
const report = join(folder, "report.json")
const titleFilter = values.title === undefined ? [] : ["-t", values.title]
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
const { status, signal } = spawnSync("npx", ["vitest", "run", ...reporters, ...titleFilter, ...files], {
  stdio: "inherit",
  env: { ...process.env, HIVEMIND_LONG: "1" },
})
if (existsSync(report)) save(JSON.parse(readFileSync(report, "utf8")) as VitestReport)
else console.error(`The run ended without a report (${signal ?? status}): nothing is recorded.`)
rmSync(folder, { recursive: true, force: true })
process.exitCode = status ?? 1

/** A test has a long form if it asks test/support/effort.ts how much to do. */
function filesWithLongForm(): string[] {
  return readdirSync(TEST, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => /support\/effort\.ts"/.test(readFileSync(join(TEST, name), "utf8")))
    .map((name) => `test/${name}`)
    .sort()
}

/** A test that was not run this time keeps its last result. */
function save({ testResults }: VitestReport): void {
  const all: LongResults = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {}
  const date = new Date().toISOString().slice(0, 10)
  for (const { name, assertionResults } of testResults) {
    const file = relative(TEST, name)
    const titles = new Set(assertionResults.map(({ title }) => title))
    const kept = Object.entries(all[file] ?? {}).filter(([title]) => titles.has(title))
    const ran = assertionResults
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ title, status, duration = 0, meta }): [string, TestResult] => {
        const table = meta?.table === undefined ? {} : { table: meta.table }
        return [title, { commit, date, seconds: Math.round(duration / 1000), result: status, ...table }]
      })
    all[file] = Object.fromEntries([...kept, ...ran])
  }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(RESULTS, `${JSON.stringify(sorted, null, 2)}\n`)
  writeReliabilityPage()
}
