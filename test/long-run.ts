// npm run test:long [-- part of a path…]: every test that has a longer form, run in that form. Writes test/long-results.json.
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const TEST = fileURLToPath(new URL(".", import.meta.url))
const RESULTS = join(TEST, "long-results.json")

/** The last result of one test file; `tables` holds the rows its tests recorded, such as fault, tries, lost, by title. */
interface FileResult {
  commit: string
  date: string
  seconds: number
  passed: number
  failed: number
  tables?: Record<string, unknown>
}

interface VitestReport {
  testResults: {
    name: string
    startTime: number
    endTime: number
    assertionResults: { title: string; status: string; meta?: { table?: unknown } }[]
  }[]
}

const filters = process.argv.slice(2)
const files = filesWithLongForm().filter(
  (file) => filters.length === 0 || filters.some((each) => file.includes(each)),
)
if (files.length === 0) {
  console.error(
    `No test with a long form matches ${filters.join(", ")}. There are:\n${filesWithLongForm().join("\n")}`,
  )
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), "hivemind-long-"))
const report = join(folder, "report.json")
const { status } = spawnSync(
  "npx",
  ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...files],
  { stdio: "inherit", env: { ...process.env, HIVEMIND_LONG: "1" } },
)
if (existsSync(report)) save(JSON.parse(readFileSync(report, "utf8")) as VitestReport)
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

function save({ testResults }: VitestReport): void {
  const all: Record<string, FileResult> = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {}
  const commit = execFileSync("git", ["describe", "--always", "--dirty"], {
    cwd: TEST,
    encoding: "utf8",
  }).trim()
  const date = new Date().toISOString().slice(0, 10)
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const count = (wanted: string) => assertionResults.filter((each) => each.status === wanted).length
    const tables = assertionResults.flatMap(({ title, meta }) => (meta?.table ? [[title, meta.table]] : []))
    all[relative(TEST, name)] = {
      commit,
      date,
      seconds: Math.round((endTime - startTime) / 1000),
      passed: count("passed"),
      failed: count("failed"),
      ...(tables.length > 0 ? { tables: Object.fromEntries(tables) } : {}),
    }
  }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(RESULTS, `${JSON.stringify(sorted, null, 2)}\n`)
}
