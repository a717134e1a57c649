import { expect, it } from "vitest"
import { isMissed, verdictOn } from "../../bench/report.ts"

const bar = (value: number | undefined) => ({ what: "found", value, unit: "%", atLeast: 60 })

it("says that all bars are met only where all were measured", () => {
  expect(verdictOn([bar(61), bar(60)])).toBe("All bars met.")
  const partly = verdictOn([bar(61), bar(undefined)])
  expect(partly).not.toContain("All bars met.")
  expect(partly).toMatch(/NOT MEASURED:[\s\S]*found +≥ 60 % +not measured/)
  expect(partly).not.toMatch(/\bMISSED/)
})

it("says that no bar was measured where the data is missing", () => {
  expect(verdictOn([])).toContain("No bar was measured")
})

it("a bar that was measured and missed is named, and one that was not measured is none of them", () => {
  expect(verdictOn([bar(59), bar(undefined)])).toMatch(/^MISSED:[\s\S]*59 %[\s\S]*NOT MEASURED:/)
  expect([bar(59), bar(60), bar(undefined), bar(Number.NaN)].map(isMissed)).toEqual([
    true,
    false,
    false,
    true,
  ])
})
