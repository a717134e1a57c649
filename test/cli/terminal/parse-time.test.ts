import { expect, test } from "vitest"
import { parseTime } from "../../../src/cli/terminal/options.ts"

const NOW = Date.UTC(2026, 1, 11, 14, 30)
const MINUTE = 60_000

test.each([
  ["0s", 0],
  ["90s", 1.5 * MINUTE],
  ["45m", 45 * MINUTE],
  ["2h", 120 * MINUTE],
  ["3d", 3 * 24 * 60 * MINUTE],
  ["1w", 7 * 24 * 60 * MINUTE],
])("%s is parsed as a duration before now", (text, ago) => {
  expect(parseTime(text, NOW)).toBe(NOW - ago)
})

test("a date means its midnight in local time, unless it names a time zone", () => {
  expect(parseTime("2026-02-11", NOW)).toBe(new Date(2026, 1, 11).getTime())
  for (const text of ["2026-02-11T14:30", "2026-02-11 14:30", "2026-02-11T14:30:00.000"])
    expect(parseTime(text, NOW), text).toBe(new Date(2026, 1, 11, 14, 30).getTime())
  for (const text of ["2026-02-11T14:30:00Z", "2026-02-11T15:30+01:00"])
    expect(parseTime(text, NOW), text).toBe(NOW)
})

test("refuses text that is not a time, with examples", () => {
  const words = ["", "yesterday", "2", "h", "-2h", "2 h", "2h ago"]
  for (const text of [...words, "2026", "2026-2-1", "2026-13-01", "11.02.2026"])
    expect(() => parseTime(text, NOW), text).toThrowError(/A time is a date/)
})
