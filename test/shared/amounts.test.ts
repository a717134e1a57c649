import { expect, test } from "vitest"
import { byteSize, counted } from "../../src/shared/amounts.ts"
import { duration, localTime } from "../../src/shared/time.ts"

test("counts agree with their nouns", () => {
  expect([counted(0, "plan"), counted(1, "plan"), counted(2, "entry", "entries")]).toEqual([
    "0 plans",
    "1 plan",
    "2 entries",
  ])
})

test.each([
  [0, "0 bytes"],
  [1023, "1023 bytes"],
  [1024, "1.0 KB"],
  [150 * 1024, "150 KB"],
  [1.5 * 1024 ** 3, "1.5 GB"],
  [5 * 1024 ** 5, "5120 TB"],
])("%d is %s", (bytes, text) => expect(byteSize(bytes)).toBe(text))

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
