import { describe, expect, it } from "vitest"
import { keptPlaces, otherChanges, writtenPlaces } from "../../../src/work/task/check-products.ts"

/** Changes in short: `+` before a new file, `-` before one that is gone. */
function changes(...files: string[]) {
  const paths = (sign: string) =>
    new Set(files.filter((file) => file.startsWith(sign)).map((file) => file.slice(1)))
  return {
    changed: files.map((file) => file.replace(/^[+-]/, "")),
    created: paths("+"),
    gone: paths("-"),
  }
}

describe("what a check has written before accounts for", () => {
  const alike: [string, string][] = [
    ["junit.xml", "junit.xml"],
    ["+report-2026-11-15T21-30-05.xml", "+report-2026-11-16T09-00-41.xml"],
    [
      "+.nyc_output/3f2b7c1e-88aa-4f01-9c55-aabbccddeeff.json",
      "+.nyc_output/00000000-1111-2222-3333-444455556666.json",
    ],
    ["+test-results/login-9f3a2c1/trace.zip", "-test-results/login-0b77e12/trace.zip"],
    ["+tmp/abc", "+tmp/xyz"],
    ["+tmp/abc", "-tmp/xyz"],
  ]
  it.each(alike)("%s, then %s", (before, now) => {
    expect(otherChanges(changes(now), writtenPlaces(changes(before)))).toEqual([])
  })

  const others: [string, string, string][] = [
    ["junit.xml", "src/a.ts", "src/a.ts"],
    ["+tmp/abc", "tmp/notes.md", "tmp/notes.md"],
    ["+report.xml", "+stray.ts", "stray.ts"],
    ["src/a.ts", "+src/b.ts", "src/b.ts"],
  ]
  it.each(others)("%s, not %s", (before, now, named) => {
    expect(otherChanges(changes(now), writtenPlaces(changes(before)))).toEqual([named])
  })
})

it("of a thousand files it is the folders that are kept, and they account for what is in them", () => {
  const report = Array.from({ length: 1000 }, (_, n) => `coverage/${"abcde"[n % 5]}/${"x".repeat(n)}.html`)
  const kept = keptPlaces(writtenPlaces(changes("junit.xml", ...report)))
  expect(kept).toEqual([
    "junit.xml",
    "coverage/a/",
    "coverage/b/",
    "coverage/c/",
    "coverage/d/",
    "coverage/e/",
  ])
  expect(otherChanges(changes("junit.xml", ...report, "src/a.ts"), new Set(kept))).toEqual(["src/a.ts"])
})
