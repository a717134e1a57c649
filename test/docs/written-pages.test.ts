import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { benchmarksPage, type KeptResults } from "../../bench/page.ts"
import type { SoakResults } from "../../bench/soak/soak-table.ts"
import { reliabilityPage } from "../reliability-page.ts"

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

it("the page on reliability is generated from the results of the long tests, which lost nothing", () => {
  const results = JSON.parse(read("test/long-results.json"))
  const soak: SoakResults = JSON.parse(read("bench/soak-results.json"))
  expect(read("docs/reliability.md")).toBe(reliabilityPage(results, soak))
  expect(soak).toMatchObject({ lost: 0, untrue: 0, files_lost: 0, printed: 0 })
  const rows = JSON.stringify(results).match(/"lost":\d+/g) ?? []
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter((row) => row !== '"lost":0')).toEqual([])
})

it("the page of benchmarks is generated from the results, and begins with the missed bars", () => {
  const results: KeptResults = JSON.parse(read("bench/results.json"))
  const page = read("docs/benchmarks.md")
  expect(page).toBe(benchmarksPage(results))
  const behind = Object.values(results).flatMap(({ bars }) => bars.filter(({ met }) => met === false))
  const first = page.slice(page.indexOf("## Where it is behind"), page.indexOf("\n`npm run bench"))
  for (const { what } of behind) expect(first).toContain(what)
})

it("the page on security names only existing tests", () => {
  const page = read("docs/security.md").replaceAll("\n", " ")
  const named = [...page.matchAll(/`(test\/[^`]+)` "([^"]+)"/g)]
  expect(named.length).toBeGreaterThan(25)
  const gone = named.filter(([, file = "", title = ""]) => !read(file).includes(title))
  expect(gone.map(([, file, title]) => `${file}: ${title}`)).toEqual([])
  const rows = read("docs/security.md")
    .split("\n")
    .filter((line) => /^\| (?!attack|---)/.test(line))
  expect(rows.filter((row) => !row.includes("| `test/"))).toEqual([])
})
