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
