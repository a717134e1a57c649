import { expect, it } from "vitest"
import { byteSize, counted } from "../../src/shared/amounts.ts"
import { derivedId } from "../../src/shared/ids.ts"
import { freeStamp, readableStamp, stampFromReadable, stampOf } from "../../src/shared/stamp.ts"
import { duration, localTime } from "../../src/shared/time.ts"

const NOON = new Date(2026, 1, 11, 14, 30, 5).getTime()

it("a count has its noun in the singular or plural", () => {
  const counts = [counted(0, "plan"), counted(1, "plan"), counted(2, "entry", "entries")]
  expect(counts).toEqual(["0 plans", "1 plan", "2 entries"])
})

it.each([
  [0, "0 bytes"],
  [1023, "1023 bytes"],
  [1024, "1.0 KB"],
  [150 * 1024, "150 KB"],
  [1.5 * 1024 ** 3, "1.5 GB"],
  [5 * 1024 ** 5, "5120 TB"],
])("formats %d bytes as %s", (bytes, text) => expect(byteSize(bytes)).toBe(text))

it.each([
  [-5, "0 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [7_200_000, "2 h"],
  [172_800_000, "2 days"],
])("formats %d ms as %s", (ms, text) => expect(duration(ms)).toBe(text))

it("a time and a stamp are local; a stamp that is taken gets the next number", () => {
  expect(localTime(NOON)).toBe("2026-02-11 14:30:05")
  expect(stampOf(NOON)).toBe("301411022026")
  const taken = new Set(["301411022026", "301411022026-2"])
  expect(freeStamp(NOON, (stamp) => taken.has(stamp))).toBe("301411022026-3")
})

it("a readable stamp converts back to the stamp, and other text stays as it is", () => {
  for (const stamp of ["301411022026", "301411022026-2"])
    expect(stampFromReadable(readableStamp(stamp))).toBe(stamp)
  expect(stampFromReadable("yesterday")).toBe("yesterday")
})

it("a derived id is a UUID, the same for the same words", () => {
  expect(derivedId("a", "b")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(derivedId("a", "b")).toBe(derivedId("a", "b"))
  expect(derivedId("a", "b")).not.toBe(derivedId("b", "a"))
})
