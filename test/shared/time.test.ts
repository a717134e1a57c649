import { expect, test } from "vitest"
import { duration, localTime } from "../../src/shared/time.ts"

test.each([
  [-5, "0 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [7_200_000, "2 h"],
  [172_800_000, "2 days"],
])("%d ms are %s", (ms, text) => expect(duration(ms)).toBe(text))

test("a time is local and sorts", () => {
  expect(localTime(new Date(2026, 1, 11, 14, 30, 5).getTime())).toBe("2026-02-11 14:30:05")
})
