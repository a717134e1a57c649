import { expect, test } from "vitest"
import { byteSize, counted } from "../../src/shared/amounts.ts"

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
