import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { reliabilityPage } from "../reliability-page.ts"

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

it("the page on reliability is what the results of the long tests make of it, and nothing in it was lost", () => {
  const results = JSON.parse(read("test/long-results.json"))
  expect(read("docs/reliability.md")).toBe(reliabilityPage(results))
  const rows = JSON.stringify(results).match(/"lost":\d+/g) ?? []
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter((row) => row !== '"lost":0')).toEqual([])
})

it("the page on security names tests that there are", () => {
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
