import { describe, expect, test } from "vitest"
import { parseTime } from "../../../src/cli/terminal/options.ts"

const NOW = Date.UTC(2026, 1, 11, 14, 30)
const MINUTE = 60_000

describe("a time on the command line", () => {
  test.each([
    ["0s", 0],
    ["90s", 1.5 * MINUTE],
    ["45m", 45 * MINUTE],
    ["2h", 120 * MINUTE],
    ["3d", 3 * 24 * 60 * MINUTE],
    ["1w", 7 * 24 * 60 * MINUTE],
  ])("%s is that long ago", (text, ago) => {
    expect(parseTime(text, NOW)).toBe(NOW - ago)
  })

  test("a date is the midnight it begins with, where the person is", () => {
    expect(parseTime("2026-02-11", NOW)).toBe(new Date(2026, 1, 11).getTime())
  })

  test.each(["2026-02-11T14:30", "2026-02-11 14:30", "2026-02-11T14:30:00.000"])(
    "%s is local time",
    (text) => {
      expect(parseTime(text, NOW)).toBe(new Date(2026, 1, 11, 14, 30).getTime())
    },
  )

  test("a zone counts where one is named", () => {
    expect(parseTime("2026-02-11T14:30:00Z", NOW)).toBe(NOW)
    expect(parseTime("2026-02-11T15:30+01:00", NOW)).toBe(NOW)
  })

  test.each([
    "",
    "yesterday",
    "2",
    "h",
    "-2h",
    "2 h",
    "2026",
    "2026-2-1",
    "2026-13-01",
    "11.02.2026",
    "2h ago",
  ])("%j is none, and the error shows examples", (text) => {
    expect(() => parseTime(text, NOW)).toThrowError(/A time is a date/)
  })
})
