import { expect, it } from "vitest"
import { derivedId } from "../../src/shared/ids.ts"
import { freeStamp, readableStamp, stampFromReadable, stampOf } from "../../src/shared/stamp.ts"

it("is minute, hour, day, month and year in local time", () => {
  expect(stampOf(new Date(2026, 1, 11, 14, 30).getTime())).toBe("301411022026")
})

it("takes the next number when it stands already", () => {
  const taken = new Set(["301411022026", "301411022026-2"])
  expect(freeStamp(new Date(2026, 1, 11, 14, 30).getTime(), (stamp) => taken.has(stamp))).toBe(
    "301411022026-3",
  )
})

it("a derived id is a UUID, the same for the same words", () => {
  expect(derivedId("a", "b")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(derivedId("a", "b")).toBe(derivedId("a", "b"))
  expect(derivedId("a", "b")).not.toBe(derivedId("b", "a"))
})

it("a stamp as people read it leads back to the stamp, and other text stays", () => {
  for (const stamp of ["301411022026", "301411022026-2"])
    expect(stampFromReadable(readableStamp(stamp))).toBe(stamp)
  expect(stampFromReadable("yesterday")).toBe("yesterday")
})
