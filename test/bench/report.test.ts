import { expect, it } from "vitest"
import { isMissed, verdictOn } from "../../bench/report.ts"

const bar = (value: number | undefined) => ({ what: "found", value, unit: "%", atLeast: 60 })

it("says that all bars are met only if all were measured", () => {
  expect(verdictOn([bar(61), bar(60)])).toBe("All bars met.")
  const partly = verdictOn([bar(61), bar(undefined)])
  expect(partly).not.toContain("All bars met.")
  expect(partly).toMatch(/NOT MEASURED:[\s\S]*found +≥ 60 % +not measured/)
  expect(partly).not.toMatch(/\bMISSED/)
})

it("says that no bar was measured if the data is missing", () => {
  expect(verdictOn([])).toContain("No bar was measured")
})

it("the verdict lists missed bars, and lists bars without a measurement separately", () => {
  expect(verdictOn([bar(59), bar(undefined)])).toMatch(/^MISSED:[\s\S]*59 %[\s\S]*NOT MEASURED:/)
  expect([59, 60, undefined, Number.NaN].filter((value) => isMissed(bar(value)))).toEqual([59, Number.NaN])
})
